export type EsimService = object;
