ALTER TABLE "conversations" ADD COLUMN "first_wrote" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "second_wrote" boolean DEFAULT false NOT NULL;--> statement-breakpoint
UPDATE "conversations" c SET "first_wrote" = m."first", "second_wrote" = m."second" FROM (
  SELECT "conversation", bool_or("sender" < "recipient" COLLATE "C") AS "first", bool_or("sender" > "recipient" COLLATE "C") AS "second"
  FROM "wallet_messages" WHERE NOT "blocked" AND "recipient" NOT LIKE 'grp\_%' GROUP BY "conversation"
) m WHERE m."conversation" = c."id";
