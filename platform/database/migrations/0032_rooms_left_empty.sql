-- Until release 0.1.0, a room stayed open for ever if it and its breakout became empty at the same moment. One with people in it stays open.
INSERT INTO "due" ("kind", "subject", "due_at", "payload")
  SELECT 'conference.empty', "id",
    greatest(now() + make_interval(secs => coalesce(("settings"->>'emptyTimeout')::int, 300)), "starts_at" + interval '1 day'), '{}'
  FROM "rooms" WHERE "status" <> 'ended' AND "parent_id" IS NULL
  ON CONFLICT DO NOTHING;
