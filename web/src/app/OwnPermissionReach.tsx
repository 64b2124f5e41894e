import { lazy } from 'react'

/**
 * The permissions of the signed-in user in all applications. Separate from `PermissionReach`, so that neither is
 * bundled with what every page needs.
 */
export const OwnPermissionReach = lazy(async () => ({
  default: (await import('../permissions/OwnReach.tsx')).OwnReach,
}))
