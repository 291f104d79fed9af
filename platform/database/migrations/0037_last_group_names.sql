ALTER TABLE "group_members" ADD COLUMN "last_name" text;--> statement-breakpoint
UPDATE "group_members" m SET "last_name" = g."name" FROM "groups" g WHERE g."id" = m."group_id" AND m."standing" <> 'member';
