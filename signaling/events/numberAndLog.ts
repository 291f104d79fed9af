/**
 * The last CTEs of a statement that appends events. They lock the wallets' sequences until the commit, in the order of the wallets'
 * addresses.
 *
 * @param newEvents the name of a table with the events: n (order), wallet, event, payload
 * @returns the CTEs; `numbered` is the table with `sequence` added
 */
export const numberAndLog = (newEvents: string) => `
  counted AS (
    INSERT INTO wallet_sequences AS s (wallet, latest)
    SELECT wallet, count(*) FROM ${newEvents} GROUP BY wallet ORDER BY wallet
    ON CONFLICT (wallet) DO UPDATE SET latest = s.latest + excluded.latest
    RETURNING wallet, latest
  ), numbered AS MATERIALIZED (
    SELECT w.*, c.latest - count(*) OVER (PARTITION BY w.wallet)
      + row_number() OVER (PARTITION BY w.wallet ORDER BY w.n) AS sequence
    FROM ${newEvents} w JOIN counted c ON c.wallet = w.wallet
  ), logged AS (
    INSERT INTO wallet_events (wallet, sequence, event, payload)
    SELECT wallet, sequence, event, payload FROM numbered
  )`;
