import type { FieldError } from '@passport/contract/problem'
import { problem } from '../http/problem.ts'

export const unknownRoles = problem(400, 'unknown-roles', {
  meaning: 'Some roles do not exist.',
  remedy: 'Remove the roles in `errors` from the list, or create them first.',
  details: (detail: string, errors: FieldError[]) => ({ detail, errors }),
})
export const notGrantable = problem(403, 'role-not-yours-to-give', {
  meaning: 'You cannot assign this role, directly or through a group.',
  remedy: 'Ask an administrator.',
  details: (role: string, detail?: string) => ({ detail: detail ?? `You cannot assign the role ${role}.` }),
})
export const lastAdmin = problem(409, 'last-admin', {
  meaning: 'At least one active administrator is required.',
  remedy: 'Make another user an administrator first.',
  showRemedy: true,
})
export const selfDemotion = problem(409, 'self-demotion', {
  meaning: 'You would no longer be an administrator.',
  remedy: 'Confirm the change to continue.',
  showRemedy: true,
})
export const nameTaken = problem(409, 'role-name-taken', {
  meaning: 'A role with this name already exists.',
  remedy: 'Choose another name.',
  field: 'name',
})
export const builtIn = problem(409, 'role-built-in', {
  meaning: 'Built-in roles cannot be deleted.',
  remedy: 'Remove the role from its members instead.',
})
export const inUse = problem(409, 'role-in-use', {
  meaning: 'Too many users have this role.',
  remedy: 'Remove it from them first.',
  details: (limit: number) => ({ detail: `More than ${limit} users have this role. Remove it from them first.` }),
})
