import { PermissionFault } from '@passport/permissions'

/** Reports whether the directory owns the type. */
export const isDirectoryType = (type: string | undefined): boolean => type?.startsWith('passport/') ?? false

/** Rejects writes to directory relationships: the directory changes them, with its authorisation and audit. */
export function rejectDirectoryTypes(types: (string | undefined)[], fieldOf: (at: number) => string): void {
  const at = types.findIndex(isDirectoryType)
  if (at < 0) return
  throw new PermissionFault(
    'directory-owned',
    `Relationships of ${types[at]} are managed by the directory.`,
    fieldOf(at),
  )
}
