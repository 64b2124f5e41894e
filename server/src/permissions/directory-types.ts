import { PermissionFault } from '@passport/permissions/fault'

/** The types that the directory keeps by itself. */
export const isOfDirectory = (type: string | undefined): boolean => type?.startsWith('passport/') ?? false

/** Who is in which group is changed in the directory, with its rights and its audit, and not past it. */
export function refuseDirectory(types: (string | undefined)[], fieldOf: (at: number) => string): void {
  const at = types.findIndex(isOfDirectory)
  if (at < 0) return
  throw new PermissionFault(
    'directory-owned',
    `The relationships of ${types[at]} are those of the directory.`,
    fieldOf(at),
  )
}
