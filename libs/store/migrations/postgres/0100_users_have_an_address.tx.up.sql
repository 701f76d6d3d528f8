ALTER TABLE users VALIDATE CONSTRAINT users_have_an_address;
