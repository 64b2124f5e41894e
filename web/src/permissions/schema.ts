import { caller } from '@passport/contract/call'
import type { PermissionSchema } from '@passport/contract/permission-schema'
import { getPermissionSchema } from '@passport/contract/permissions'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { Option } from '../ui/Select.tsx'

/** The schema that answers, with the ETag by which it is replaced. */
export type KnownSchema = PermissionSchema & { etag: string }

/** The schema, for pickers and pages. */
export const useSchema = (): UseQueryResult<KnownSchema> =>
  useQuery({ queryKey: [getPermissionSchema.path], queryFn: ({ signal }) => readSchema(signal) })

/** Reads the schema with its ETag. */
export async function readSchema(signal: AbortSignal): Promise<KnownSchema> {
  let etag = ''
  const read = caller(location.origin, async (request) => {
    const response = await fetch(request)
    etag = response.headers.get('etag') ?? ''
    return response
  })
  return { ...(await read(getPermissionSchema, {}, { signal })), etag }
}

const sorted = (names: Iterable<string>) => [...new Set(names)].toSorted()

/** The types of which something can be asked: those with a relation or a permission. */
export const resourceTypes = ({ definitions }: PermissionSchema): string[] =>
  sorted(
    definitions
      .filter(({ relations, permissions }) => relations.length + permissions.length > 0)
      .map(({ name }) => name),
  )

/** The types that can have something: those that stand in a relation. */
export const subjectTypes = ({ definitions }: PermissionSchema): string[] =>
  sorted(definitions.flatMap(({ relations }) => relations.flatMap(({ allowed }) => allowed.map(({ type }) => type))))

/** The relations by which sets of a type stand in relations: `member` of `group`. */
export const setRelations = ({ definitions }: PermissionSchema, type: string): string[] =>
  sorted(
    definitions
      .flatMap(({ relations }) => relations.flatMap(({ allowed }) => allowed))
      .flatMap((one) => (one.type === type && one.relation ? [one.relation] : [])),
  )

/** What can be asked of a type: its permissions, then its relations. */
export function askable(schema: PermissionSchema, type: string): { permissions: string[]; relations: string[] } {
  const definition = schema.definitions.find(({ name }) => name === type)
  const names = (all: readonly { name: string }[] = []) => all.map(({ name }) => name)
  return { permissions: names(definition?.permissions), relations: names(definition?.relations) }
}

/** The same to be chosen from: of a relation that is said. */
export const askableOptions = ({ permissions, relations }: ReturnType<typeof askable>): Option[] => [
  ...permissions.map((name) => ({ value: name, label: name })),
  ...relations.map((name) => ({ value: name, label: `${name} (relation)` })),
]

/** Whether a type is kept by the directory itself, and changed there. */
export const isOfDirectory = (type: string): boolean => type.startsWith('passport/')
