-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)
--
-- Host: localhost    Database: oneapi
/*!40101 SET NAMES utf8mb4 */;
DROP TABLE IF EXISTS `channels`;
CREATE TABLE `channels` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `type` bigint DEFAULT '0',
  `key` text,
  `status` bigint DEFAULT '1',
  `name` varchar(191) DEFAULT NULL,
  `weight` bigint unsigned DEFAULT '0',
  `base_url` varchar(191) DEFAULT '',
  `other` longtext,
  `models` longtext,
  `group` varchar(32) DEFAULT 'default',
  `model_mapping` varchar(1024) DEFAULT '',
  `priority` bigint DEFAULT '0',
  `config` longtext,
  `system_prompt` text,
  PRIMARY KEY (`id`),
  KEY `idx_channels_name` (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
LOCK TABLES `channels` WRITE;
INSERT INTO `channels` VALUES
(1,1,'sk-first\nsk-second\n',1,'openai',5,'',NULL,'gpt-4o, gpt-4o-mini','default,vip','{\"gpt-4o\": \"gpt-4o-2024-11-20\", \"gone\": \"x\"}',10,'{}',NULL),
(2,3,'azure-key',1,'azure',0,'https://acme.openai.azure.com/','2024-06-01','gpt-4o','vip','',0,'',NULL),
(3,14,'sk-ant',2,'claude',0,'',NULL,'claude-3-5-sonnet-20241022','default','',0,'','Say it\'s \"fine\" in ${LANGUAGE}.'),
(4,24,'AIza',3,'gemini',0,'',NULL,'gemini-1.5-pro','default','not json',-5,'',NULL),
(5,15,'baidu',1,'wenxin',0,'',NULL,'ERNIE-4.0-8K','default','',0,'',NULL),
(6,8,'local',1,'openai',0,'',NULL,'mine','default','',0,'',NULL),
(7,8,'local',1,'openai',0,'http://10.0.0.5:8000/v1/',NULL,'mine,no good','default','',0,'',NULL),
(8,36,'ds',1,'',0,'',NULL,'deepseek-chat','default','',0,'',NULL);
UNLOCK TABLES;
CREATE TABLE `tokens` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `user_id` bigint DEFAULT NULL,
  `key` char(48) DEFAULT NULL,
  `status` bigint DEFAULT '1',
  `name` varchar(191) DEFAULT NULL,
  `expired_time` bigint DEFAULT '-1',
  `remain_quota` bigint DEFAULT '0',
  `unlimited_quota` tinyint(1) DEFAULT '0',
  `models` text,
  `subnet` varchar(191) DEFAULT '',
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;
INSERT INTO `tokens` VALUES (1,2,'anneaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',1,'laptop',-1,250001,0,'gpt-4o,gpt-4o-mini','192.0.2.0/24, 2001:db8::1'),(2,2,'annebbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',2,'laptop',1893456000,0,1,'','nonsense');
INSERT INTO `tokens` VALUES (3,2,'annecccccccccccccccccccccccccccccccccccccccccccc',3,'old',1700000000,-5,0,NULL,''),(4,2,'short',1,'short',-1,1,0,NULL,''),(5,9,'nobodyaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',1,'orphan',-1,1,0,NULL,''),(6,3,'bobbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',1,'ci',-1,0,1,NULL,'');
CREATE TABLE `users` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `username` varchar(191) DEFAULT NULL,
  `password` longtext NOT NULL,
  `display_name` varchar(191) DEFAULT NULL,
  `role` bigint DEFAULT '1',
  `status` bigint DEFAULT '1',
  `email` varchar(191) DEFAULT NULL,
  `github_id` varchar(191) DEFAULT NULL,
  `access_token` char(32) DEFAULT NULL,
  `quota` bigint DEFAULT '0',
  `group` varchar(32) DEFAULT 'default',
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;
INSERT INTO `users` VALUES (1,'root','$2a$10$x','Root',100,1,'Root@Acme.example','','',500000,'default'),(2,'Anne Ö','$2a$10$y','安妮',1,1,'root@acme.example','gh','',1234567,'vip'),(3,'bob','$2a$10$z','',1,2,'bob@acme.example','','',-7,'unheard-of'),(4,'gone','',' ',1,3,'','','',0,'default');
CREATE TABLE `options` (`key` varchar(191) NOT NULL, `value` longtext, PRIMARY KEY (`key`)) ENGINE=InnoDB;
INSERT INTO `options` VALUES ('GroupRatio','{\"default\": 1, \"vip\": 0.85, \"svip\": 0.3333333333}'),('ModelRatio','{\"gpt-4o\":1.25,\"gpt-4o-mini\":0.075,\"mine\":0,\"claude-3-5-sonnet-20241022\":1.5,\"never-served\":3}'),('CompletionRatio','{\"gpt-4o\":4,\"claude-3-5-sonnet-20241022\":5.0e0}'),('QuotaPerUnit','500000'),('SystemName','Ours');
CREATE TABLE `logs` (`id` bigint, `content` text) ENGINE=InnoDB;
INSERT INTO `logs` VALUES (1,'it\'s ( '),(2,'; INSERT INTO `users` VALUES (9)');
CREATE TABLE `redemptions` (`id` bigint, `key` char(32)) ENGINE=InnoDB;
INSERT INTO `redemptions` VALUES (1,'code');
