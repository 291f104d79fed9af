/** The first row of a query's result, or null if there is none. */
export const first = async <Row>(rows: PromiseLike<Row[]>): Promise<Row | null> => (await rows)[0] ?? null;
