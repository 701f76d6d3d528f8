/*M!999999\- enable the sandbox mode */ 
-- MariaDB dump 10.19  Distrib 10.11.19-MariaDB, for debian-linux-gnu (x86_64)
--
-- Host: localhost    Database: newapi
-- ------------------------------------------------------
-- Server version	10.11.19-MariaDB-0+deb12u1

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET @OLD_CHARACTER_SET_RESULTS=@@CHARACTER_SET_RESULTS */;
/*!40101 SET @OLD_COLLATION_CONNECTION=@@COLLATION_CONNECTION */;
/*!40101 SET NAMES utf8mb4 */;
/*!40103 SET @OLD_TIME_ZONE=@@TIME_ZONE */;
/*!40103 SET TIME_ZONE='+00:00' */;
/*!40014 SET @OLD_UNIQUE_CHECKS=@@UNIQUE_CHECKS, UNIQUE_CHECKS=0 */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;
/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;
/*!40111 SET @OLD_SQL_NOTES=@@SQL_NOTES, SQL_NOTES=0 */;

--
-- Table structure for table `abilities`
--

DROP TABLE IF EXISTS `abilities`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `abilities` (
  `group` varchar(64) NOT NULL,
  `model` varchar(255) NOT NULL,
  `channel_id` bigint(20) NOT NULL,
  `enabled` tinyint(1) DEFAULT NULL,
  `priority` bigint(20) DEFAULT 0,
  `weight` bigint(20) unsigned DEFAULT 0,
  `tag` longtext DEFAULT NULL,
  PRIMARY KEY (`group`,`model`,`channel_id`),
  KEY `idx_abilities_channel_id` (`channel_id`),
  KEY `idx_abilities_priority` (`priority`),
  KEY `idx_abilities_weight` (`weight`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `abilities`
--

LOCK TABLES `abilities` WRITE;
/*!40000 ALTER TABLE `abilities` DISABLE KEYS */;
INSERT INTO `abilities` VALUES
('default','gpt-4o',1,1,0,0,NULL);
/*!40000 ALTER TABLE `abilities` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `channels`
--

DROP TABLE IF EXISTS `channels`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `channels` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `type` bigint(20) DEFAULT 0,
  `key` longtext NOT NULL,
  `open_ai_organization` longtext DEFAULT NULL,
  `test_model` longtext DEFAULT NULL,
  `status` bigint(20) DEFAULT 1,
  `name` varchar(191) DEFAULT NULL,
  `weight` bigint(20) unsigned DEFAULT 0,
  `created_time` bigint(20) DEFAULT NULL,
  `balance` double DEFAULT NULL,
  `base_url` varchar(191) DEFAULT '',
  `other` longtext DEFAULT NULL,
  `models` longtext DEFAULT NULL,
  `group` varchar(64) DEFAULT 'default',
  `used_quota` bigint(20) DEFAULT 0,
  `model_mapping` text DEFAULT NULL,
  `status_code_mapping` varchar(1024) DEFAULT '',
  `priority` bigint(20) DEFAULT 0,
  `auto_ban` bigint(20) DEFAULT 1,
  `other_info` longtext DEFAULT NULL,
  `tag` varchar(191) DEFAULT NULL,
  `setting` text DEFAULT NULL,
  `param_override` text DEFAULT NULL,
  `header_override` text DEFAULT NULL,
  `remark` varchar(255) DEFAULT NULL,
  `channel_info` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL CHECK (json_valid(`channel_info`)),
  `settings` longtext DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `idx_channels_name` (`name`),
  KEY `idx_channels_tag` (`tag`)
) ENGINE=InnoDB AUTO_INCREMENT=10 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `channels`
--

LOCK TABLES `channels` WRITE;
/*!40000 ALTER TABLE `channels` DISABLE KEYS */;
INSERT INTO `channels` VALUES
(1,1,'sk-a\nsk-b\nsk-c','org-1',NULL,1,'many',10,0,0,'','','gpt-4o,o3,alias,tiered','default,vip',0,'{\"alias\": \"step\", \"step\": \"gpt-4o-2024-11-20\"}','',5,1,'{\"status_reason\":\"x\"}','pool','{\"proxy\":\"socks5://proxy.example:1080\",\"system_prompt\":\"Be \\\"brief\\\".\\nIt\'s fine.\",\"force_format\":true}','{\"temperature\": 0, \"max_tokens\": 5}','{\"X-Team\": \"a\"}',NULL,'{\"is_multi_key\":true,\"multi_key_mode\":\"random\",\"multi_key_size\":3,\"multi_key_status_list\":{\"1\":2}}','{\"allow_service_tier\":true}'),
(2,43,'ds',NULL,NULL,1,'deepseek',0,0,0,'','','deepseek-chat','default',0,NULL,'',0,1,'',NULL,NULL,NULL,NULL,NULL,'{\"is_multi_key\":false,\"multi_key_mode\":\"\",\"multi_key_polling_index\":0,\"multi_key_size\":0,\"multi_key_status_list\":null}',''),
(3,26,'glm',NULL,NULL,1,'glm',0,0,0,'glm-coding-plan','','glm-4.6','vip',0,NULL,'',0,1,'',NULL,NULL,NULL,NULL,NULL,'{\"is_multi_key\":false,\"multi_key_mode\":\"\",\"multi_key_polling_index\":0,\"multi_key_size\":0,\"multi_key_status_list\":null}',''),
(4,8,'own',NULL,NULL,1,'own',0,0,0,'http://10.0.0.5:8000/api/chat/completions','','mine','default',0,NULL,'',0,1,'',NULL,NULL,NULL,NULL,NULL,'{\"is_multi_key\":false,\"multi_key_mode\":\"\",\"multi_key_polling_index\":0,\"multi_key_size\":0,\"multi_key_status_list\":null}',''),
(5,8,'own',NULL,NULL,1,'own by model',0,0,0,'http://10.0.0.5:8000/{model}/chat/completions','','mine','default',0,NULL,'',0,1,'',NULL,NULL,NULL,NULL,NULL,'{\"is_multi_key\":false,\"multi_key_mode\":\"\",\"multi_key_polling_index\":0,\"multi_key_size\":0,\"multi_key_status_list\":null}',''),
(6,14,'sk-ant',NULL,NULL,3,'claude',0,0,0,'','','claude-sonnet-4-5-20250929','vip',0,NULL,'',0,1,'',NULL,NULL,NULL,NULL,NULL,'{\"is_multi_key\":false,\"multi_key_mode\":\"\",\"multi_key_polling_index\":0,\"multi_key_size\":0,\"multi_key_status_list\":null}',''),
(7,3,'az',NULL,NULL,1,'azure',0,0,0,'https://acme.openai.azure.com','2024-12-01-preview','gpt-4o','vip',0,NULL,'',0,1,'',NULL,NULL,NULL,NULL,NULL,'{\"is_multi_key\":false,\"multi_key_mode\":\"\",\"multi_key_polling_index\":0,\"multi_key_size\":0,\"multi_key_status_list\":null}',''),
(8,45,'v1|app|token',NULL,NULL,1,'volc',0,0,0,'','','doubao','vip',0,NULL,'',0,1,'',NULL,NULL,NULL,NULL,NULL,'{\"is_multi_key\":false,\"multi_key_mode\":\"\",\"multi_key_polling_index\":0,\"multi_key_size\":0,\"multi_key_status_list\":null}',''),
(9,41,'{}',NULL,NULL,1,'vertex',0,0,0,'','','gemini-2.5-pro','vip',0,NULL,'',0,1,'',NULL,NULL,NULL,NULL,NULL,'{\"is_multi_key\":false,\"multi_key_mode\":\"\",\"multi_key_polling_index\":0,\"multi_key_size\":0,\"multi_key_status_list\":null}','');
/*!40000 ALTER TABLE `channels` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `logs`
--

DROP TABLE IF EXISTS `logs`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `logs` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `content` longtext DEFAULT NULL,
  `type` bigint(20) DEFAULT NULL,
  `group` longtext DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `logs`
--

LOCK TABLES `logs` WRITE;
/*!40000 ALTER TABLE `logs` DISABLE KEYS */;
INSERT INTO `logs` VALUES
(1,'it\'s ( ; INSERT INTO users',0,'');
/*!40000 ALTER TABLE `logs` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `models`
--

DROP TABLE IF EXISTS `models`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `models` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `model_name` varchar(128) NOT NULL,
  `vendor_id` bigint(20) DEFAULT NULL,
  `endpoints` text DEFAULT NULL,
  `status` bigint(20) DEFAULT 1,
  `name_rule` bigint(20) DEFAULT 0,
  `deleted_at` datetime(3) DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `idx_models_vendor_id` (`vendor_id`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `models`
--

LOCK TABLES `models` WRITE;
/*!40000 ALTER TABLE `models` DISABLE KEYS */;
INSERT INTO `models` VALUES
(1,'gpt-4o',1,'',1,0,NULL);
/*!40000 ALTER TABLE `models` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `options`
--

DROP TABLE IF EXISTS `options`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `options` (
  `key` varchar(191) NOT NULL,
  `value` longtext DEFAULT NULL,
  PRIMARY KEY (`key`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `options`
--

LOCK TABLES `options` WRITE;
/*!40000 ALTER TABLE `options` DISABLE KEYS */;
INSERT INTO `options` VALUES
('AutoGroups','[\"default\", \"vip\"]'),
('billing_setting.billing_mode','{\"tiered\": \"tiered_expr\"}'),
('CompletionRatio','{\"gpt-4o\": 3, \"o3\": 9, \"deepseek-chat\": 4}'),
('GroupGroupRatio','{\"default\": {\"vip\": 0.7}}'),
('GroupRatio','{\"default\": 1, \"vip\": 0.8, \"staff\": 0}'),
('ModelRatio','{\"gpt-4o\": 1.25, \"alias\": 1, \"o3\": 1, \"deepseek-chat\": 0.135, \"mine\": 0, \"claude-sonnet-4-5-20250929\": 1.5, \"tiered\": 2, \"glm-4.6\": 0.3}'),
('QuotaPerUnit','500000'),
('SystemName','L\'API'),
('UserUsableGroups','{\"default\": \"everybody\", \"vip\": \"whoever pays\"}');
/*!40000 ALTER TABLE `options` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `tokens`
--

DROP TABLE IF EXISTS `tokens`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `tokens` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `user_id` bigint(20) DEFAULT NULL,
  `key` char(48) DEFAULT NULL,
  `status` bigint(20) DEFAULT 1,
  `name` varchar(191) DEFAULT NULL,
  `created_time` bigint(20) DEFAULT NULL,
  `accessed_time` bigint(20) DEFAULT NULL,
  `expired_time` bigint(20) DEFAULT -1,
  `remain_quota` bigint(20) DEFAULT 0,
  `unlimited_quota` tinyint(1) DEFAULT NULL,
  `model_limits_enabled` tinyint(1) DEFAULT NULL,
  `model_limits` text DEFAULT NULL,
  `allow_ips` varchar(191) DEFAULT '',
  `used_quota` bigint(20) DEFAULT 0,
  `group` varchar(191) DEFAULT '',
  `cross_group_retry` tinyint(1) DEFAULT NULL,
  `deleted_at` datetime(3) DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `idx_tokens_key` (`key`),
  KEY `idx_tokens_user_id` (`user_id`),
  KEY `idx_tokens_name` (`name`),
  KEY `idx_tokens_deleted_at` (`deleted_at`)
) ENGINE=InnoDB AUTO_INCREMENT=11 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `tokens`
--

LOCK TABLES `tokens` WRITE;
/*!40000 ALTER TABLE `tokens` DISABLE KEYS */;
INSERT INTO `tokens` VALUES
(1,2,'000000000000000000000000000000000000000000000own',1,'own',0,0,-1,500000,0,1,'gpt-4o,o3','192.0.2.1\n198.51.100.0/24',0,'',0,NULL),
(2,2,'000000000000000000000000000000000000000000000vip',1,'as vip',0,0,1900000000,0,1,0,'o3','',0,'vip',0,NULL),
(3,2,'00000000000000000000000000000000000000000000auto',1,'chooses',0,0,-1,0,1,0,'','',0,'auto',1,NULL),
(4,2,'0000000000000000000000000000000000000000000staff',1,'of staff',0,0,-1,0,1,0,'','',0,'staff',0,NULL),
(5,2,'00000000000000000000000000000000000000000000none',1,'limited to none',0,0,-1,0,1,1,'','',0,'',0,NULL),
(6,2,'00000000000000000000000000000000000000000000soft',1,'deleted',0,0,-1,0,1,0,'','',0,'',0,'2023-11-14 22:13:20.000'),
(7,2,'00000000000000000000000000000000000000000000zero',1,'expired at once',0,0,0,0,1,0,'','',0,'',0,NULL),
(8,2,'00000000000000000000000000000000000000000revived',4,'exhausted once',0,0,-1,7,0,0,'','',0,'',0,NULL),
(9,2,'00000000000000000000000000000000000000000000past',3,'expired',0,0,1700000000,7,0,0,'','',0,'',0,NULL),
(10,3,'0000000000000000000000000000000000000000000fired',1,'fired',0,0,-1,7,0,0,'','',0,'',0,NULL);
/*!40000 ALTER TABLE `tokens` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `users`
--

DROP TABLE IF EXISTS `users`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `users` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `username` varchar(191) DEFAULT NULL,
  `password` longtext NOT NULL,
  `display_name` varchar(191) DEFAULT NULL,
  `role` bigint(20) DEFAULT 1,
  `status` bigint(20) DEFAULT 1,
  `email` varchar(191) DEFAULT NULL,
  `github_id` varchar(191) DEFAULT NULL,
  `discord_id` varchar(191) DEFAULT NULL,
  `access_token` char(32) DEFAULT NULL,
  `quota` bigint(20) DEFAULT 0,
  `used_quota` bigint(20) DEFAULT 0,
  `group` varchar(64) DEFAULT 'default',
  `aff_code` varchar(32) DEFAULT NULL,
  `aff_quota` bigint(20) DEFAULT 0,
  `inviter_id` bigint(20) DEFAULT NULL,
  `deleted_at` datetime(3) DEFAULT NULL,
  `linux_do_id` varchar(191) DEFAULT NULL,
  `setting` text DEFAULT NULL,
  `stripe_customer` varchar(64) DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `idx_users_access_token` (`access_token`),
  UNIQUE KEY `idx_users_aff_code` (`aff_code`),
  UNIQUE KEY `uni_users_username` (`username`),
  KEY `idx_users_username` (`username`),
  KEY `idx_users_display_name` (`display_name`),
  KEY `idx_users_email` (`email`),
  KEY `idx_users_git_hub_id` (`github_id`),
  KEY `idx_users_discord_id` (`discord_id`),
  KEY `idx_users_inviter_id` (`inviter_id`),
  KEY `idx_users_deleted_at` (`deleted_at`),
  KEY `idx_users_linux_do_id` (`linux_do_id`)
) ENGINE=InnoDB AUTO_INCREMENT=5 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `users`
--

LOCK TABLES `users` WRITE;
/*!40000 ALTER TABLE `users` DISABLE KEYS */;
INSERT INTO `users` VALUES
(1,'root','$2a$10$x','Root User',100,1,'','','',NULL,100000000,0,'default','aaaa',0,0,NULL,'','',''),
(2,'carol','$2a$10$y','Carol \\ O\'Neil',1,1,'carol@acme.example','','1','0123456789abcdef0123456789abcdef',2500000,0,'default','bbbb',250000,0,NULL,'','{\"language\":\"en\"}',''),
(3,'fired','$2a$10$z','',10,2,'fired@acme.example','','',NULL,0,0,'vip','cccc',0,0,NULL,'','',''),
(4,'gone','$2a$10$z','',1,1,'','','',NULL,0,0,'vip','dddd',0,0,'2023-11-14 22:13:20.000','','','');
/*!40000 ALTER TABLE `users` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `vendors`
--

DROP TABLE IF EXISTS `vendors`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `vendors` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `name` varchar(128) NOT NULL,
  `status` bigint(20) DEFAULT 1,
  `deleted_at` datetime(3) DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uk_vendor_name_delete_at` (`name`,`deleted_at`),
  KEY `idx_vendors_deleted_at` (`deleted_at`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `vendors`
--

LOCK TABLES `vendors` WRITE;
/*!40000 ALTER TABLE `vendors` DISABLE KEYS */;
INSERT INTO `vendors` VALUES
(1,'OpenAI',1,NULL);
/*!40000 ALTER TABLE `vendors` ENABLE KEYS */;
UNLOCK TABLES;
/*!40103 SET TIME_ZONE=@OLD_TIME_ZONE */;

/*!40101 SET SQL_MODE=@OLD_SQL_MODE */;
/*!40014 SET FOREIGN_KEY_CHECKS=@OLD_FOREIGN_KEY_CHECKS */;
/*!40014 SET UNIQUE_CHECKS=@OLD_UNIQUE_CHECKS */;
/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;
/*!40101 SET CHARACTER_SET_RESULTS=@OLD_CHARACTER_SET_RESULTS */;
/*!40101 SET COLLATION_CONNECTION=@OLD_COLLATION_CONNECTION */;
/*!40111 SET SQL_NOTES=@OLD_SQL_NOTES */;

-- Dump completed on 2026-11-22  7:14:05
