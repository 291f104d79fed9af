/** The text file in each archive that explains the others. */
export const readme = (accountId: string, at: Date, files: string[]) => `Your data
=========

This archive has the data that this server keeps about the account ${accountId}, as of ${at.toISOString()}.

Each file in data/ is a list (JSON), one for each subject. Times are in UTC. Names of fields are explained in the documentation of
the HTTP API. A wallet is named by its address. Of messages and calls you see both sides, as you see them in the app: what others
have deleted or hidden from you is not here. Secrets are left out: hashes of keys and tokens, and keys of streams and webhooks.

${files.map((name) => `  data/${name}.json`).join('\n')}

The folder media/ has the files that were sent and received, voicemails and recordings. The names begin with the id by which the lists
refer to them: mediaId of a message, fileId of a voicemail, and data/recordingFiles.json for recordings. A file that was deleted while
this archive was written is empty.
`;
