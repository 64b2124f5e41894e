import type { PermissionSchema } from '@passport/contract/permission-schema'
import { getPermissionSchema } from '@passport/contract/permissions'
import { queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { query } from '../app/api.ts'

/** The schema that answers, for pickers and pages. */
export const schemaQuery = queryOptions(query(getPermissionSchema, {}))
export const useSchema = (): UseQueryResult<PermissionSchema> => useQuery(schemaQuery)

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
