--
-- PostgreSQL database dump
--

\restrict mIBiRqiSgNdgJ2Jg4d94FkegFoqJMyPnFdpilEAjhYxs2yw3An9RCEJf1w4ZKBy

-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: abilities; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.abilities (
    "group" character varying(64) NOT NULL,
    model character varying(255) NOT NULL,
    channel_id bigint NOT NULL,
    enabled boolean,
    priority bigint DEFAULT 0,
    weight bigint DEFAULT 0,
    tag text
);


--
-- Name: channels; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.channels (
    id bigint NOT NULL,
    type bigint DEFAULT 0,
    key text NOT NULL,
    open_ai_organization text,
    test_model text,
    status bigint DEFAULT 1,
    name text,
    weight bigint DEFAULT 0,
    created_time bigint,
    balance numeric,
    base_url text DEFAULT ''::text,
    other text,
    models text,
    "group" character varying(64) DEFAULT 'default'::character varying,
    used_quota bigint DEFAULT 0,
    model_mapping text,
    status_code_mapping character varying(1024) DEFAULT ''::character varying,
    priority bigint DEFAULT 0,
    auto_ban bigint DEFAULT 1,
    other_info text,
    tag text,
    setting text,
    param_override text,
    header_override text,
    remark character varying(255),
    channel_info json,
    settings text
);


--
-- Name: channels_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.channels_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: channels_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.channels_id_seq OWNED BY public.channels.id;


--
-- Name: logs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.logs (
    id bigint NOT NULL,
    content text,
    type bigint,
    "group" text
);


--
-- Name: logs_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.logs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: logs_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.logs_id_seq OWNED BY public.logs.id;


--
-- Name: models; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.models (
    id bigint NOT NULL,
    model_name character varying(128) NOT NULL,
    vendor_id bigint,
    endpoints text,
    status bigint DEFAULT 1,
    name_rule bigint DEFAULT 0,
    deleted_at timestamp with time zone
);


--
-- Name: models_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.models_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: models_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.models_id_seq OWNED BY public.models.id;


--
-- Name: options; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.options (
    key text NOT NULL,
    value text
);


--
-- Name: tokens; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.tokens (
    id bigint NOT NULL,
    user_id bigint,
    key character(48),
    status bigint DEFAULT 1,
    name text,
    created_time bigint,
    accessed_time bigint,
    expired_time bigint DEFAULT '-1'::integer,
    remain_quota bigint DEFAULT 0,
    unlimited_quota boolean,
    model_limits_enabled boolean,
    model_limits text,
    allow_ips text DEFAULT ''::text,
    used_quota bigint DEFAULT 0,
    "group" text DEFAULT ''::text,
    cross_group_retry boolean,
    deleted_at timestamp with time zone
);


--
-- Name: tokens_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.tokens_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: tokens_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.tokens_id_seq OWNED BY public.tokens.id;


--
-- Name: users; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.users (
    id bigint NOT NULL,
    username text,
    password text NOT NULL,
    display_name text,
    role bigint DEFAULT 1,
    status bigint DEFAULT 1,
    email text,
    github_id text,
    discord_id text,
    access_token character(32),
    quota bigint DEFAULT 0,
    used_quota bigint DEFAULT 0,
    "group" character varying(64) DEFAULT 'default'::character varying,
    aff_code character varying(32),
    aff_quota bigint DEFAULT 0,
    inviter_id bigint,
    deleted_at timestamp with time zone,
    linux_do_id text,
    setting text,
    stripe_customer character varying(64)
);


--
-- Name: users_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.users_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: users_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.users_id_seq OWNED BY public.users.id;


--
-- Name: vendors; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.vendors (
    id bigint NOT NULL,
    name character varying(128) NOT NULL,
    status bigint DEFAULT 1,
    deleted_at timestamp with time zone
);


--
-- Name: vendors_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.vendors_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: vendors_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.vendors_id_seq OWNED BY public.vendors.id;


--
-- Name: channels id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.channels ALTER COLUMN id SET DEFAULT nextval('public.channels_id_seq'::regclass);


--
-- Name: logs id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.logs ALTER COLUMN id SET DEFAULT nextval('public.logs_id_seq'::regclass);


--
-- Name: models id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.models ALTER COLUMN id SET DEFAULT nextval('public.models_id_seq'::regclass);


--
-- Name: tokens id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tokens ALTER COLUMN id SET DEFAULT nextval('public.tokens_id_seq'::regclass);


--
-- Name: users id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users ALTER COLUMN id SET DEFAULT nextval('public.users_id_seq'::regclass);


--
-- Name: vendors id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.vendors ALTER COLUMN id SET DEFAULT nextval('public.vendors_id_seq'::regclass);


--
-- Data for Name: abilities; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.abilities ("group", model, channel_id, enabled, priority, weight, tag) FROM stdin;
default	gpt-4o	1	t	0	0	\N
\.


--
-- Data for Name: channels; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.channels (id, type, key, open_ai_organization, test_model, status, name, weight, created_time, balance, base_url, other, models, "group", used_quota, model_mapping, status_code_mapping, priority, auto_ban, other_info, tag, setting, param_override, header_override, remark, channel_info, settings) FROM stdin;
1	1	sk-a\nsk-b\nsk-c	org-1	\N	1	many	10	0	0			gpt-4o,o3,alias,tiered	default,vip	0	{"alias": "step", "step": "gpt-4o-2024-11-20"}		5	1	{"status_reason":"x"}	pool	{"proxy":"socks5://proxy.example:1080","system_prompt":"Be \\"brief\\".\\nIt's fine.","force_format":true}	{"temperature": 0, "max_tokens": 5}	{"X-Team": "a"}	\N	{"is_multi_key":true,"multi_key_mode":"random","multi_key_size":3,"multi_key_status_list":{"1":2}}	{"allow_service_tier":true}
2	43	ds	\N	\N	1	deepseek	0	0	0			deepseek-chat	default	0	\N		0	1		\N	\N	\N	\N	\N	{"is_multi_key":false,"multi_key_mode":"","multi_key_polling_index":0,"multi_key_size":0,"multi_key_status_list":null}	
3	26	glm	\N	\N	1	glm	0	0	0	glm-coding-plan		glm-4.6	vip	0	\N		0	1		\N	\N	\N	\N	\N	{"is_multi_key":false,"multi_key_mode":"","multi_key_polling_index":0,"multi_key_size":0,"multi_key_status_list":null}	
4	8	own	\N	\N	1	own	0	0	0	http://10.0.0.5:8000/api/chat/completions		mine	default	0	\N		0	1		\N	\N	\N	\N	\N	{"is_multi_key":false,"multi_key_mode":"","multi_key_polling_index":0,"multi_key_size":0,"multi_key_status_list":null}	
5	8	own	\N	\N	1	own by model	0	0	0	http://10.0.0.5:8000/{model}/chat/completions		mine	default	0	\N		0	1		\N	\N	\N	\N	\N	{"is_multi_key":false,"multi_key_mode":"","multi_key_polling_index":0,"multi_key_size":0,"multi_key_status_list":null}	
6	14	sk-ant	\N	\N	3	claude	0	0	0			claude-sonnet-4-5-20250929	vip	0	\N		0	1		\N	\N	\N	\N	\N	{"is_multi_key":false,"multi_key_mode":"","multi_key_polling_index":0,"multi_key_size":0,"multi_key_status_list":null}	
7	3	az	\N	\N	1	azure	0	0	0	https://acme.openai.azure.com	2024-12-01-preview	gpt-4o	vip	0	\N		0	1		\N	\N	\N	\N	\N	{"is_multi_key":false,"multi_key_mode":"","multi_key_polling_index":0,"multi_key_size":0,"multi_key_status_list":null}	
8	45	v1|app|token	\N	\N	1	volc	0	0	0			doubao	vip	0	\N		0	1		\N	\N	\N	\N	\N	{"is_multi_key":false,"multi_key_mode":"","multi_key_polling_index":0,"multi_key_size":0,"multi_key_status_list":null}	
9	41	{}	\N	\N	1	vertex	0	0	0			gemini-2.5-pro	vip	0	\N		0	1		\N	\N	\N	\N	\N	{"is_multi_key":false,"multi_key_mode":"","multi_key_polling_index":0,"multi_key_size":0,"multi_key_status_list":null}	
\.


--
-- Data for Name: logs; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.logs (id, content, type, "group") FROM stdin;
1	it's ( ; INSERT INTO users	0	
\.


--
-- Data for Name: models; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.models (id, model_name, vendor_id, endpoints, status, name_rule, deleted_at) FROM stdin;
1	gpt-4o	1		1	0	\N
\.


--
-- Data for Name: options; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.options (key, value) FROM stdin;
ModelRatio	{"gpt-4o": 1.25, "alias": 1, "o3": 1, "deepseek-chat": 0.135, "mine": 0, "claude-sonnet-4-5-20250929": 1.5, "tiered": 2, "glm-4.6": 0.3}
CompletionRatio	{"gpt-4o": 3, "o3": 9, "deepseek-chat": 4}
GroupRatio	{"default": 1, "vip": 0.8, "staff": 0}
GroupGroupRatio	{"default": {"vip": 0.7}}
UserUsableGroups	{"default": "everybody", "vip": "whoever pays"}
AutoGroups	["default", "vip"]
billing_setting.billing_mode	{"tiered": "tiered_expr"}
QuotaPerUnit	500000
SystemName	L'API
\.


--
-- Data for Name: tokens; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.tokens (id, user_id, key, status, name, created_time, accessed_time, expired_time, remain_quota, unlimited_quota, model_limits_enabled, model_limits, allow_ips, used_quota, "group", cross_group_retry, deleted_at) FROM stdin;
1	2	000000000000000000000000000000000000000000000own	1	own	0	0	-1	500000	f	t	gpt-4o,o3	192.0.2.1\n198.51.100.0/24	0		f	\N
2	2	000000000000000000000000000000000000000000000vip	1	as vip	0	0	1900000000	0	t	f	o3		0	vip	f	\N
3	2	00000000000000000000000000000000000000000000auto	1	chooses	0	0	-1	0	t	f			0	auto	t	\N
4	2	0000000000000000000000000000000000000000000staff	1	of staff	0	0	-1	0	t	f			0	staff	f	\N
5	2	00000000000000000000000000000000000000000000none	1	limited to none	0	0	-1	0	t	t			0		f	\N
6	2	00000000000000000000000000000000000000000000soft	1	deleted	0	0	-1	0	t	f			0		f	2023-11-14 22:13:20+00
8	2	00000000000000000000000000000000000000000revived	4	exhausted once	0	0	-1	7	f	f			0		f	\N
9	2	00000000000000000000000000000000000000000000past	3	expired	0	0	1700000000	7	f	f			0		f	\N
10	3	0000000000000000000000000000000000000000000fired	1	fired	0	0	-1	7	f	f			0		f	\N
7	2	00000000000000000000000000000000000000000000zero	1	expired at once	0	0	0	0	t	f			0		f	\N
\.


--
-- Data for Name: users; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.users (id, username, password, display_name, role, status, email, github_id, discord_id, access_token, quota, used_quota, "group", aff_code, aff_quota, inviter_id, deleted_at, linux_do_id, setting, stripe_customer) FROM stdin;
1	root	$2a$10$x	Root User	100	1				\N	100000000	0	default	aaaa	0	0	\N			
2	carol	$2a$10$y	Carol \\ O'Neil	1	1	carol@acme.example		1	0123456789abcdef0123456789abcdef	2500000	0	default	bbbb	250000	0	\N		{"language":"en"}	
3	fired	$2a$10$z		10	2	fired@acme.example			\N	0	0	vip	cccc	0	0	\N			
4	gone	$2a$10$z		1	1				\N	0	0	vip	dddd	0	0	2023-11-14 22:13:20+00			
\.


--
-- Data for Name: vendors; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.vendors (id, name, status, deleted_at) FROM stdin;
1	OpenAI	1	\N
\.


--
-- Name: channels_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.channels_id_seq', 9, true);


--
-- Name: logs_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.logs_id_seq', 1, true);


--
-- Name: models_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.models_id_seq', 1, true);


--
-- Name: tokens_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.tokens_id_seq', 10, true);


--
-- Name: users_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.users_id_seq', 4, true);


--
-- Name: vendors_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.vendors_id_seq', 1, true);


--
-- Name: abilities abilities_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.abilities
    ADD CONSTRAINT abilities_pkey PRIMARY KEY ("group", model, channel_id);


--
-- Name: channels channels_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.channels
    ADD CONSTRAINT channels_pkey PRIMARY KEY (id);


--
-- Name: logs logs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.logs
    ADD CONSTRAINT logs_pkey PRIMARY KEY (id);


--
-- Name: models models_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.models
    ADD CONSTRAINT models_pkey PRIMARY KEY (id);


--
-- Name: options options_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.options
    ADD CONSTRAINT options_pkey PRIMARY KEY (key);


--
-- Name: tokens tokens_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_pkey PRIMARY KEY (id);


--
-- Name: users uni_users_username; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT uni_users_username UNIQUE (username);


--
-- Name: users users_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);


--
-- Name: vendors vendors_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.vendors
    ADD CONSTRAINT vendors_pkey PRIMARY KEY (id);


--
-- Name: idx_abilities_channel_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_abilities_channel_id ON public.abilities USING btree (channel_id);


--
-- Name: idx_abilities_priority; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_abilities_priority ON public.abilities USING btree (priority);


--
-- Name: idx_abilities_weight; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_abilities_weight ON public.abilities USING btree (weight);


--
-- Name: idx_channels_name; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_channels_name ON public.channels USING btree (name);


--
-- Name: idx_channels_tag; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_channels_tag ON public.channels USING btree (tag);


--
-- Name: idx_models_vendor_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_models_vendor_id ON public.models USING btree (vendor_id);


--
-- Name: idx_tokens_deleted_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_tokens_deleted_at ON public.tokens USING btree (deleted_at);


--
-- Name: idx_tokens_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_tokens_key ON public.tokens USING btree (key);


--
-- Name: idx_tokens_name; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_tokens_name ON public.tokens USING btree (name);


--
-- Name: idx_tokens_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_tokens_user_id ON public.tokens USING btree (user_id);


--
-- Name: idx_users_access_token; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_users_access_token ON public.users USING btree (access_token);


--
-- Name: idx_users_aff_code; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_users_aff_code ON public.users USING btree (aff_code);


--
-- Name: idx_users_deleted_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_users_deleted_at ON public.users USING btree (deleted_at);


--
-- Name: idx_users_discord_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_users_discord_id ON public.users USING btree (discord_id);


--
-- Name: idx_users_display_name; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_users_display_name ON public.users USING btree (display_name);


--
-- Name: idx_users_email; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_users_email ON public.users USING btree (email);


--
-- Name: idx_users_git_hub_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_users_git_hub_id ON public.users USING btree (github_id);


--
-- Name: idx_users_inviter_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_users_inviter_id ON public.users USING btree (inviter_id);


--
-- Name: idx_users_linux_do_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_users_linux_do_id ON public.users USING btree (linux_do_id);


--
-- Name: idx_users_username; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_users_username ON public.users USING btree (username);


--
-- Name: idx_vendors_deleted_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_vendors_deleted_at ON public.vendors USING btree (deleted_at);


--
-- Name: uk_vendor_name_delete_at; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX uk_vendor_name_delete_at ON public.vendors USING btree (name, deleted_at);


--
-- PostgreSQL database dump complete
--

\unrestrict mIBiRqiSgNdgJ2Jg4d94FkegFoqJMyPnFdpilEAjhYxs2yw3An9RCEJf1w4ZKBy

