--
-- PostgreSQL database dump
--
\restrict 0123456789
SET statement_timeout = 0;
CREATE FUNCTION public.nothing() RETURNS void LANGUAGE sql AS $body$ SELECT ';'; INSERT INTO users VALUES (1); $body$;
CREATE TABLE public.channels (
    id bigint NOT NULL,
    type bigint DEFAULT 0,
    key text NOT NULL,
    status bigint DEFAULT 1,
    name text,
    weight bigint DEFAULT 0,
    base_url text DEFAULT ''::text,
    models text,
    "group" character varying(64) DEFAULT 'default'::character varying,
    model_mapping text,
    priority bigint DEFAULT 0,
    auto_ban bigint DEFAULT 1,
    param_override text,
    tag text
);
CREATE TABLE public.options (
    key text NOT NULL,
    value text
);
CREATE TABLE public.tokens (
    id bigint NOT NULL,
    user_id bigint,
    key character(48),
    status bigint DEFAULT 1,
    name text,
    expired_time bigint DEFAULT '-1'::integer,
    remain_quota bigint DEFAULT 0,
    unlimited_quota boolean,
    model_limits_enabled boolean,
    model_limits character varying(1024) DEFAULT ''::character varying,
    allow_ips text DEFAULT ''::text,
    "group" text DEFAULT ''::text,
    deleted_at timestamp with time zone
);
CREATE TABLE public.users (
    id bigint NOT NULL,
    username text,
    password text NOT NULL,
    display_name text,
    role bigint DEFAULT 1,
    status bigint DEFAULT 1,
    email text,
    quota bigint DEFAULT 0,
    "group" character varying(64) DEFAULT 'default'::character varying,
    deleted_at timestamp with time zone
);
COPY public.channels (id, type, key, status, name, weight, base_url, models, "group", model_mapping, priority, auto_ban, param_override, tag) FROM stdin;
1	1	sk-a\nsk-b	1	main	10	\N	gpt-4o,o3,flat,unpriced	default,vip	\N	0	1	{"temperature": 0}	\N
2	43	ds	1	deepseek	0	\N	deepseek-chat	default	\N	0	1	\N	\N
\.
COPY public.options (key, value) FROM stdin;
ModelRatio	{"gpt-4o": 1.25, "o3": 1}
CompletionRatio	{"gpt-4o": 4}
CacheRatio	{"gpt-4o": 0.5}
ModelPrice	{"flat": 0.01}
GroupRatio	{"default": 1, "vip": 2}
QuotaPerUnit	500000
\.
INSERT INTO public.tokens VALUES (1, 7, 'carolaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 1, 'own', -1, 500000, false, true, 'gpt-4o', '', '', NULL);
INSERT INTO public.tokens VALUES (2, 7, 'carolbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', 1, 'as vip', -1, 0, true, false, 'gpt-4o', E'192.0.2.1\n198.51.100.0/24', 'vip', NULL);
INSERT INTO public.tokens VALUES (3, 7, 'carolccccccccccccccccccccccccccccccccccccccccccc', 1, 'gone', -1, 0, true, false, '', '', '', '2026-01-01 00:00:00+00');
COPY public.users (id, username, password, display_name, role, status, email, quota, "group", deleted_at) FROM stdin;
7	carol	hash	Carol\tC	1	1	carol@acme.example	2500000	default	\N
8	gone	hash	\N	1	1	gone@acme.example	0	default	2026-01-01 00:00:00+00
\.
\unrestrict 0123456789
