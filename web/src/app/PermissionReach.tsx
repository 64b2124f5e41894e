import { lazy } from 'react'

/** All that applications let a person do: a part of the room of permissions on the page of the person. */
export const PermissionReach = lazy(async () => ({ default: (await import('../permissions/Reach.tsx')).Reach }))
