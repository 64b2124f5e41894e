import { maxApiScopes } from '@passport/contract/identity-apis'
import type { FieldError } from '@passport/contract/problem'
import { problem } from '../http/problem.ts'

export const apiNotFound = problem(404, 'identity-api-not-found', {
  meaning: 'API not found.',
  remedy: 'Check the id. A deleted API can be restored from the trash.',
})
export const apiNameTaken = problem(409, 'identity-api-name-taken', {
  meaning: 'An API or a scope with this name already exists.',
  remedy: 'Choose another name. An API in the trash keeps its names until it is purged.',
  showRemedy: true,
  field: 'name',
})
export const scopeTaken = problem(409, 'scope-taken', {
  meaning: 'An API or a scope with this name already exists.',
  remedy: 'Choose another name for the scope. An API in the trash keeps its names until it is purged.',
  details: (taken: { index: number; name: string }[]) => ({
    detail: `Already taken: ${taken.map(({ name }) => name).join(', ')}. Scopes are unique among all APIs, also those in the trash.`,
    errors: taken.map(
      ({ index, name }): FieldError => ({
        field: `scopes[${index}].name`,
        code: 'scope-taken',
        message: `The name ${name} is taken.`,
      }),
    ),
  }),
})
export const audienceTaken = problem(409, 'audience-taken', {
  meaning: 'An API with this audience already exists.',
  remedy: 'Choose another audience. An API in the trash keeps its audience until it is purged.',
  showRemedy: true,
  field: 'audience',
})
export const scopeInUse = problem(409, 'scope-in-use', {
  meaning: 'A client has the scope, or users have consented to it.',
  remedy: 'Take the scope from the application first. Users revoke their consent in their account.',
  details: (scopes: string[], client: string | undefined) => ({
    detail: client
      ? `The application ${client} has ${scopes.length > 1 ? 'one of the scopes' : 'the scope'} ${scopes.join(', ')}.`
      : `Users have consented to ${scopes.length > 1 ? 'one of the scopes' : 'the scope'} ${scopes.join(', ')}.`,
  }),
})
export const builtIn = problem(409, 'built-in', {
  meaning: 'Only the description and the token lifetime of the built-in API can change.',
  remedy: 'Create an API of your own for other settings.',
})
export const unknownClients = problem(400, 'unknown-clients', {
  meaning: 'An application does not exist, or has no secret but would introspect tokens.',
  remedy: 'Choose other applications.',
  details: (errors: FieldError[]) => ({ detail: errors.map(({ message }) => message).join(' '), errors }),
})
export const openApiInvalid = problem(400, 'openapi-invalid', {
  meaning: 'The document is not an OpenAPI document in JSON or YAML.',
  remedy: 'Paste the whole document.',
  field: 'document',
})
export const openApiTooLarge = problem(400, 'openapi-too-large', {
  meaning: 'The document is larger than 8 MiB, or 4 MiB as YAML, or takes too long to read.',
  remedy: 'Convert the document to JSON, or paste only its security schemes.',
  showRemedy: true,
  field: 'document',
})
export const tooManyScopes = problem(409, 'too-many-scopes', {
  meaning: `An API has at most ${maxApiScopes} scopes.`,
  remedy: 'Import fewer scopes, or divide them between several APIs.',
})
