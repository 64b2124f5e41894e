import { lazy } from 'react'

/** A person's permissions in all applications: the permissions feature's part of the person's page. */
export const PermissionReach = lazy(async () => ({ default: (await import('../permissions/Reach.tsx')).Reach }))
