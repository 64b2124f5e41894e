import { createApiCall } from '@passport/contract/call'
import type { PermissionSchema } from '@passport/contract/permission-schema'
import { getPermissionSchema } from '@passport/contract/permissions'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { Option } from '../ui/Select.tsx'
import { isDirectoryType } from './reference.ts'

/** A schema with the ETag of the stored one. */
export type SchemaWithETag = PermissionSchema & { etag: string }

export const useSchema = (): UseQueryResult<SchemaWithETag> =>
  useQuery({ queryKey: [getPermissionSchema.path], queryFn: ({ signal }) => readSchema(signal) })

/** Reads the schema with its ETag. */
export async function readSchema(signal: AbortSignal): Promise<SchemaWithETag> {
  let etag = ''
  const read = createApiCall(location.origin, async (request) => {
    const response = await fetch(request)
    etag = response.headers.get('etag') ?? ''
    return response
  })
  return { ...(await read(getPermissionSchema, {}, { signal })), etag }
}

const sortUnique = (names: Iterable<string>) => [...new Set(names)].toSorted()

/** Returns the types with a relation or a permission. */
export const listResourceTypes = ({ definitions }: PermissionSchema): string[] =>
  sortUnique(
    definitions
      .filter(({ relations, permissions }) => relations.length + permissions.length > 0)
      .map(({ name }) => name),
  )

/** Returns the types allowed as subjects. */
export const listSubjectTypes = ({ definitions }: PermissionSchema): string[] =>
  sortUnique(
    definitions.flatMap(({ relations }) => relations.flatMap(({ allowed }) => allowed.map(({ type }) => type))),
  )

/** Returns the relations that form usersets of a type: `member` for `group#member`. */
export const listUsersetRelations = ({ definitions }: PermissionSchema, type: string): string[] =>
  sortUnique(
    definitions
      .flatMap(({ relations }) => relations.flatMap(({ allowed }) => allowed))
      .flatMap((subject) => (subject.type === type && subject.relation ? [subject.relation] : [])),
  )

/** Returns the permissions and relations of a type. */
export function listPermissionsAndRelations(
  schema: PermissionSchema,
  type: string,
): { permissions: string[]; relations: string[] } {
  const definition = schema.definitions.find(({ name }) => name === type)
  const names = (all: readonly { name: string }[] = []) => all.map(({ name }) => name)
  return { permissions: names(definition?.permissions), relations: names(definition?.relations) }
}

/** Returns options for permissions and relations, with the latter marked. */
export const toPermissionOptions = ({
  permissions,
  relations,
}: ReturnType<typeof listPermissionsAndRelations>): Option[] => [
  ...permissions.map((name) => ({ value: name, label: name })),
  ...relations.map((name) => ({ value: name, label: `${name} (relation)` })),
]

/** Returns the likely type of users: one without relations, of an application before the directory's. */
export function findDefaultSubjectType(schema: SchemaWithETag): string {
  const resources = listResourceTypes(schema)
  const userTypes = listSubjectTypes(schema).filter((type) => !resources.includes(type))
  return userTypes.find((type) => !isDirectoryType(type)) ?? userTypes[0] ?? listSubjectTypes(schema)[0] ?? ''
}

/** Returns the likely type of resources: one with permissions, of an application before the directory's. */
export function findDefaultResourceType(schema: SchemaWithETag): string {
  const types = listResourceTypes(schema)
  const own = types.filter((type) => !isDirectoryType(type))
  return (
    own.find((type) => listPermissionsAndRelations(schema, type).permissions.length > 0) ?? own[0] ?? types[0] ?? ''
  )
}
