export const allRoles = ['api', 'signaling', 'media'] as const;
export type Role = (typeof allRoles)[number];
