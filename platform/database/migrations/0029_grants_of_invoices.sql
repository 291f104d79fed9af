UPDATE "ledger" l SET "reference_type" = 'invoice', "reference_id" = p."invoice_id" FROM "payments" p
  WHERE p."invoice_id" IS NOT NULL AND l."account_id" = p."account_id" AND l."type" = 'credit'
  AND l."reference_type" = 'payment' AND l."reference_id" = p."id";
