import type { ObjectKind } from '../ui/ObjectIcon.tsx'

const kinds: Record<string, ObjectKind> = {
  user: 'user',
  person: 'user',
  group: 'group',
  team: 'group',
  org: 'org',
  organization: 'org',
  organisation: 'org',
  tenant: 'org',
  role: 'role',
  application: 'client',
  app: 'client',
  document: 'document',
  file: 'document',
  folder: 'folder',
  secret: 'secret',
  key: 'secret',
}

/** Returns the kind of picture for an object type by the last part of its name: “passport/user” is a user. */
export const objectKindOf = (type: string): ObjectKind => kinds[type.split('/').at(-1) ?? ''] ?? 'other'
