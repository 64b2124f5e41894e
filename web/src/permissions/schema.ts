import { createApiCall } from '@passport/contract/call'
import type { PermissionSchema } from '@passport/contract/permission-schema'
import { getPermissionSchema } from '@passport/contract/permissions'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { Option } from '../ui/Select.tsx'
import { isDirectoryType } from './reference.ts'

/** A schema with the ETag of the stored one. */
export type SchemaWithETag = PermissionSchema & { etag: string }

/** Queries the schema. */
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
export const resourceTypes = ({ definitions }: PermissionSchema): string[] =>
  sortUnique(
    definitions
      .filter(({ relations, permissions }) => relations.length + permissions.length > 0)
      .map(({ name }) => name),
  )

/** Returns the types allowed as subjects. */
export const subjectTypes = ({ definitions }: PermissionSchema): string[] =>
  sortUnique(
    definitions.flatMap(({ relations }) => relations.flatMap(({ allowed }) => allowed.map(({ type }) => type))),
  )

/** Returns the relations by which sets of a type are subjects: `member` of `group`. */
export const listUsersetRelations = ({ definitions }: PermissionSchema, type: string): string[] =>
  sortUnique(
    definitions
      .flatMap(({ relations }) => relations.flatMap(({ allowed }) => allowed))
      .flatMap((subject) => (subject.type === type && subject.relation ? [subject.relation] : [])),
  )

/** Returns the permissions and relations of a type. */
export function permissionsAndRelations(
  schema: PermissionSchema,
  type: string,
): { permissions: string[]; relations: string[] } {
  const definition = schema.definitions.find(({ name }) => name === type)
  const names = (all: readonly { name: string }[] = []) => all.map(({ name }) => name)
  return { permissions: names(definition?.permissions), relations: names(definition?.relations) }
}

/** Returns permissions and relations as options; relations are marked. */
export const toPermissionOptions = ({
  permissions,
  relations,
}: ReturnType<typeof permissionsAndRelations>): Option[] => [
  ...permissions.map((name) => ({ value: name, label: name })),
  ...relations.map((name) => ({ value: name, label: `${name} (relation)` })),
]

/** Returns the likely type of a person: one without relations. */
export function findDefaultSubjectType(schema: SchemaWithETag): string {
  const resources = resourceTypes(schema)
  const people = subjectTypes(schema).filter((type) => !resources.includes(type))
  return people.find((type) => !isDirectoryType(type)) ?? people[0] ?? subjectTypes(schema)[0] ?? ''
}

/** Prefers types of applications to those of the directory. */
export function findDefaultResourceType(schema: SchemaWithETag): string {
  const types = resourceTypes(schema)
  const own = types.filter((type) => !isDirectoryType(type))
  return own.find((type) => permissionsAndRelations(schema, type).permissions.length > 0) ?? own[0] ?? types[0] ?? ''
}
