/* The permission tools, for administrators in the console and for applications with a client. */

export * from './permission-checks.ts'
export * from './permission-files.ts'
export * from './permission-relationships.ts'
export type { SchemaDifference } from './permission-schema.ts'
