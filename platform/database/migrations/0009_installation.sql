CREATE TABLE "installation" (
	"id" smallint PRIMARY KEY NOT NULL,
	"key_fingerprint" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
