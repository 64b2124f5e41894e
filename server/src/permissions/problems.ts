import type { FieldError } from '@passport/contract/problem'
import type { ErrorCode } from '@passport/permissions'
import { type ProblemKind, problem } from '../http/problem.ts'

export const notSupported = problem(501, 'not-of-this-engine', {
  meaning: 'The permission engine of this installation does not support this.',
  remedy: 'Use the embedded engine, which is the default.',
})
export const whatIfNotSupported = problem(501, 'what-if-not-supported', {
  meaning: 'The permission engine of this installation does not support what-if queries.',
  remedy: 'Use the embedded engine, which is the default.',
})
export const permissionNotFound = problem(404, 'permission-not-found', {
  meaning: 'Users cannot have this permission.',
  remedy: 'List your permissions again; the schema may have changed.',
})
export const assertionNotFound = problem(404, 'assertion-not-found', {
  meaning: 'Assertion not found.',
  remedy: 'List the assertions again.',
})
export const tooManyAssertions = problem(409, 'too-many-assertions', {
  meaning: 'The maximum number of assertions is saved.',
  remedy: 'Delete an assertion first.',
  details: (limit: number) => ({ detail: `At most ${limit} assertions can be saved.` }),
})

/** The errors of the engine. Their messages, which name the values, are the details of the problems. */
const errorRows: Record<ErrorCode, [status: number, meaning: string, remedy: string]> = {
  'schema-invalid': [400, 'The schema has errors.', 'Correct each position in `errors`.'],
  'file-invalid': [400, 'The text is not a valid validation file.', 'Correct each position in `errors`.'],
  'unknown-type': [400, 'The schema does not define the type.', 'Use a type of the schema.'],
  'unknown-relation': [400, 'The type does not define the relation.', 'Use a relation of the type.'],
  'unknown-permission': [400, 'The type does not define the permission.', 'Use a permission or relation of the type.'],
  'unknown-caveat': [400, 'The schema does not define the caveat.', 'Use a caveat of the schema.'],
  'malformed-type': [400, 'The name of the type has characters that are not allowed.', 'Correct the name.'],
  'malformed-relation': [400, 'The name of the relation has characters that are not allowed.', 'Correct the name.'],
  'malformed-id': [400, 'The id has characters that are not allowed, or is too long.', 'Correct the id.'],
  'malformed-relationship': [
    400,
    'The text is not a relationship.',
    'Write it as `type:id#relation@type:id`, with `#relation` for a userset.',
  ],
  'wildcard-subject': [400, 'The subject of a check cannot be a wildcard.', 'Use the id of a subject.'],
  'context-type': [400, 'A value of the context has another type than the caveat declares.', 'Correct the value.'],
  'context-too-large': [400, 'The context has too many bytes.', 'Send only the values that the caveats need.'],
  'caveat-failed': [400, 'The expression of a caveat failed for these values.', 'Correct the values or the caveat.'],
  'caveat-required': [400, 'The relation allows this subject only with a caveat.', 'Add the caveat.'],
  'expiration-required': [400, 'The relation allows this subject only with an expiration.', 'Add `expiresAt`.'],
  'subject-not-allowed': [400, 'The relation does not allow this type of subject.', 'Use a type that it allows.'],
  'write-to-permission': [400, 'Permissions are computed and cannot be written.', 'Write a relation.'],
  'duplicate-update': [400, 'The request changes the same relationship twice.', 'Send each relationship once.'],
  'too-many': [400, 'The request has more items than the endpoint accepts.', 'Send several requests.'],
  'filter-invalid': [400, 'The filter is empty, or its parts contradict each other.', 'Correct the filter.'],
  'cursor-mismatch': [400, 'The cursor belongs to another request or an earlier schema.', 'Start again without it.'],
  'token-invalid': [400, 'The token of the revision is not valid.', 'Read everything again, without the token.'],
  'what-if-past': [400, 'What-if queries require the current revision.', 'Use another consistency.'],
  'already-exists': [409, 'The relationship already exists.', 'Use `touch` to replace it.'],
  'precondition-failed': [409, 'A precondition of the write does not hold.', 'Read the relationships and try again.'],
  'schema-in-use': [
    409,
    'Stored relationships use an element that the schema removes or restricts.',
    'Delete the relationships first.',
  ],
  'directory-owned': [409, 'The directory owns these relationships.', 'Change the user, group, role or organisation.'],
  'depth-exceeded': [409, 'The evaluation is nested too deeply.', 'Shorten the chain of usersets.'],
  cycle: [409, 'The evaluation met a cycle of usersets.', 'Remove a relationship between the usersets in `circle`.'],
  'too-much-work': [409, 'The request exceeds its work budget.', 'Request fewer objects at once.'],
  'graph-too-large': [409, 'The result depends on too many relationships.', 'Request a smaller part.'],
  'snapshot-gone': [410, 'The revision is older than the stored history.', 'Use a later revision.'],
  'not-caught-up': [503, 'The server has not yet read the revision of the token.', 'Try again in a second.'],
}

/** Renames the code of an invalid revision: in the API, `token-invalid` is about access tokens. */
const toApiCode = (code: ErrorCode): string => (code === 'token-invalid' ? 'zedtoken-invalid' : code)

interface ErrorDetails {
  detail: string
  errors?: FieldError[]
}
export const engineErrors = Object.fromEntries(
  Object.entries(errorRows).map(([code, [status, meaning, remedy]]) => [
    code,
    problem(status, toApiCode(code as ErrorCode), {
      meaning,
      remedy,
      ...(status === 503 && { retryAfterSeconds: 1 }),
      details: (details: ErrorDetails) => details,
    }),
  ]),
) as Record<ErrorCode, ProblemKind<[ErrorDetails]>>

/** The errors that stored relationships and caveats can cause. */
const evaluationCodes = [
  'caveat-failed',
  'context-too-large',
  'context-type',
  'cycle',
  'depth-exceeded',
  'graph-too-large',
  'too-much-work',
  'unknown-caveat',
  'unknown-permission',
  'unknown-relation',
  'unknown-type',
] as const satisfies ErrorCode[]
/** The same errors for users without access to the stored data, without the messages of the engine. */
export const evaluationFailures = Object.fromEntries(
  evaluationCodes.map((code) => [
    code,
    problem(409, code, {
      meaning: 'The stored relationships or caveats cannot be evaluated.',
      remedy: 'Ask an administrator to check the permissions.',
    }),
  ]),
) as Partial<Record<ErrorCode, ProblemKind<[]>>>
