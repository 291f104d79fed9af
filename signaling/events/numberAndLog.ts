/**
 * The last parts of a statement that logs what happened to wallets: whoever numbers keeps all others from these wallets until it
 * commits. The wallets are held in the order of their names.
 *
 * @param news a table of it: n (its order), wallet, event, payload
 * @returns CTEs, of which `numbered` is the table with `sequence` beside the rest
 */
export const numberAndLog = (news: string) => `
  counted AS (
    INSERT INTO wallet_sequences AS s (wallet, latest)
    SELECT wallet, count(*) FROM ${news} GROUP BY wallet ORDER BY wallet
    ON CONFLICT (wallet) DO UPDATE SET latest = s.latest + excluded.latest
    RETURNING wallet, latest
  ), numbered AS MATERIALIZED (
    SELECT w.*, c.latest - count(*) OVER (PARTITION BY w.wallet)
      + row_number() OVER (PARTITION BY w.wallet ORDER BY w.n) AS sequence
    FROM ${news} w JOIN counted c ON c.wallet = w.wallet
  ), logged AS (
    INSERT INTO wallet_events (wallet, sequence, event, payload)
    SELECT wallet, sequence, event, payload FROM numbered
  )`;
