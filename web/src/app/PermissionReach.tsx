import { lazy } from 'react'

/** All that applications let a person do: a part of the room of permissions on the page of the person. */
export const PermissionReach = lazy(async () => ({ default: (await import('../permissions/Reach.tsx')).Reach }))

/** The same of whoever is signed in, on their own page. */
export const OwnPermissionReach = lazy(async () => ({
  default: (await import('../permissions/OwnReach.tsx')).OwnReach,
}))
