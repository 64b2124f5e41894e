import { maxSchemaLength } from '@passport/contract/permissions'
import {
  compileAsNeeded,
  type Definition,
  PermissionError,
  parseSchema,
  printSchema,
  type Schema,
  SchemaError,
  type SchemaProblem,
  type SchemaText,
} from '@passport/permissions'
import type { Sql } from '../database/sql.ts'
import * as commitStore from './commit-store.ts'

/** The directory's part of the schema. A migration of this feature exposes rows of the directory as relationships. */
const directorySchema = `/** Users, groups, organisations and roles of Passport. Always present, and managed by the directory. */
definition passport/user {}

definition passport/group {
	relation member: passport/user
	relation owner: passport/user
}

definition passport/org {
	relation owner: passport/user
	relation admin: passport/user
	relation member: passport/user
	permission manage = owner + admin
	permission belong = owner + admin + member
}

/** A role of Passport, with slashes instead of the dots in its name. */
definition passport/role {
	relation member: passport/user | passport/group#member
}
`

/** Reports whether the directory owns the relationships of a type. */
export const isDirectoryType = (type: string): boolean => type.startsWith('passport/')

/**
 * Throws `directory-owned` for a type of the directory: only the directory's own endpoints change its relationships,
 * with their own authorisation and audit events.
 */
export function rejectDirectoryType(type: string | undefined, field: string): void {
  if (type !== undefined && isDirectoryType(type))
    throw new PermissionError('directory-owned', `Relationships of ${type} are managed by the directory.`, field)
}

/** Appends the directory's definitions to those of an application. */
export const withDirectory = (text: string): string => (text ? `${text}\n\n${directorySchema}` : directorySchema)

const directoryDefinitions = parseSchema(directorySchema).definitions

/** Compiles an application's definitions. Throws `SchemaError` with positions in the application's text. */
export async function compileWithDirectory(text: string): Promise<Schema> {
  const { definitions, ...rest } = parseCached(text)
  return compileAsNeeded(withDirectory(text), { ...rest, definitions: [...definitions, ...directoryDefinitions] })
}

/** The last parsed text. A request with a schema parses it twice: to check its names, and to compile it. */
let lastParsed: { text: string; parsed: SchemaText } | undefined

function parseCached(text: string): SchemaText {
  if (lastParsed?.text !== text) lastParsed = { text, parsed: parseSchema(text) }
  return lastParsed.parsed
}

/**
 * Returns the application's part of a schema that may include the directory's part. Throws `SchemaError` if the text is
 * too long, if the directory's part was changed, or if another definition uses the prefix reserved for Passport.
 */
export function extractApplicationPart(text: string): string {
  if (text.length > maxSchemaLength) throw new SchemaError([tooLongProblem])
  const printedDirectory = new Map(
    directoryDefinitions.map((definition) => [definition.name, printDefinition(definition)]),
  )
  let part = text.replace(directorySchema.trimEnd(), '')
  const problems: SchemaProblem[] = []
  for (const definition of parseCached(part).definitions.toReversed()) {
    const { name, span } = definition
    if (!isDirectoryType(name)) continue
    if (printedDirectory.get(name) === printDefinition(definition))
      part = part.slice(0, span.start.offset) + part.slice(span.end.offset)
    else problems.unshift({ message: formatNameError(name, printedDirectory.has(name)), span })
  }
  const [first, ...furtherProblems] = problems
  if (first) throw new SchemaError([first, ...furtherProblems])
  return part.trim()
}

const start = { line: 1, column: 1, offset: 0 }
const tooLongProblem = {
  message: `A schema must have at most ${maxSchemaLength} characters.`,
  span: { start, end: start },
}

const formatNameError = (name: string, isDirectoryDefinition: boolean) =>
  isDirectoryDefinition
    ? `\`${name}\` is reserved for Passport and cannot be changed.`
    : `\`${name}\`: names that begin with \`passport/\` are reserved for Passport.`

const printDefinition = ({ comment, ...definition }: Definition) =>
  printSchema({ uses: [], caveats: [], definitions: [definition] })

/** A cache of compiled schemas by id; the schema of an id never changes. */
export interface SchemaCache {
  /** Returns the compiled schema, or only the directory's part for null. Rejects if the schema does not exist. */
  find: (sql: Sql, id: string | null) => Promise<Schema>
}

const maxCachedSchemas = 20

export function createSchemaCache(): SchemaCache {
  const cache = new Map<string | null, Schema>()
  return {
    find: async (sql, id) => {
      const cached = cache.get(id)
      if (cached) return cached
      const text = id === null ? '' : await commitStore.readSchema(sql, id)
      if (text === undefined) throw new Error(`The schema ${id} does not exist.`)
      const schema = await compileWithDirectory(text)
      if (cache.size >= maxCachedSchemas) cache.clear()
      cache.set(id, schema)
      return schema
    },
  }
}
