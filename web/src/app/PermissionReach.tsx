import { lazy } from 'react'

/** A user's permissions in all applications: the permissions feature's part of the user's page. */
export const PermissionReach = lazy(async () => ({ default: (await import('../permissions/Reach.tsx')).Reach }))
