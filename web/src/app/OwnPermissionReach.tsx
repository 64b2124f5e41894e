import { lazy } from 'react'

/** All that applications let whoever is signed in do. It stands apart from `PermissionReach`, so that neither comes with what every page needs. */
export const OwnPermissionReach = lazy(async () => ({
  default: (await import('../permissions/OwnReach.tsx')).OwnReach,
}))
