CREATE INDEX "calls_shown_idx" ON "calls" USING btree ("callee","caller") WHERE NOT hidden;--> statement-breakpoint
CREATE INDEX "calls_answered_idx" ON "calls" USING btree ("caller","callee") WHERE answered_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX "voicemails_sender_idx" ON "voicemails" USING btree ("recipient","sender") WHERE status = 'ready' AND NOT hidden;