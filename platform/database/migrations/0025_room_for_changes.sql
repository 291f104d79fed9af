-- A text is stored once and changed two or three times within seconds. With room on its page, a change needs no new entry in each index.
ALTER TABLE "messages" SET (fillfactor = 50);
