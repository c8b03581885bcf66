/** Milliseconds since the epoch by the clock of the database, whatever those of the members say. */
export const databaseNow = '(extract(epoch from clock_timestamp()) * 1000)::double precision';
