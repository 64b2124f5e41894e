import { readFileSync } from 'node:fs'
import type { AwsRequest } from './protocol.ts'

interface Shape {
  type: string
  required?: string[]
  members?: Record<string, string>
  /** Exactly one member has a value. */
  union?: boolean
  member?: string
  key?: string
  value?: string
  enum?: string[]
  pattern?: string
  min?: number
  max?: number
  status?: number
}

type Shapes = Record<string, Shape>
interface ServiceModel {
  targetPrefix: string
  jsonVersion: string
  signingName: string
  operations: Record<string, { input: string; output: string; errors: string[] }>
  shapes: Shapes
}

/** The models of the three services, reduced to the operations of the simulation by `scripts/write-aws-shapes.mjs`. */
export const serviceModels: ServiceModel[] = JSON.parse(
  readFileSync(new URL('shapes.json', import.meta.url), 'utf8'),
).services

/** Errors of every AWS service, which the models leave out. */
const commonErrors = new Set([
  'AccessDeniedException',
  'ExpiredTokenException',
  'IncompleteSignatureException',
  'InvalidSignatureException',
  'MissingAuthenticationTokenException',
  'OptInRequired',
  'RequestEntityTooLargeException',
  'SerializationException',
  'UnrecognizedClientException',
  'ValidationException',
])

/**
 * Returns how a request and its response differ from the service models of AWS, as botocore publishes them. A rejected
 * request may differ.
 */
export function findShapeErrors({ operation, input, status, output }: AwsRequest): string[] {
  const service = serviceModels.find(({ operations }) => operation in operations)
  const known = service?.operations[operation]
  if (!service || !known) return [`${operation} is not in the models`]
  const { shapes } = service
  if (status === 200)
    return [
      ...check(shapes, known.input, input, `${operation} input`),
      ...check(shapes, known.output, output, operation),
    ]
  const { __type: name } = output as { __type?: string }
  if (!name || !known.errors.includes(name))
    return name && commonErrors.has(name) ? [] : [`${operation}: error ${name}`]
  const expected = shapes[name]?.status ?? (name.startsWith('Internal') ? 500 : 400)
  return status === expected ? [] : [`${operation}: ${name} with status ${status}`]
}

function check(shapes: Shapes, name: string, value: unknown, path: string): string[] {
  const shape = shapes[name]
  if (!shape) return [`${path}: there is no shape ${name}`]
  const wrong = (expected: string) => [`${path}: ${JSON.stringify(value)} is not ${expected}`]
  const inBounds = (size: number) =>
    size >= (shape.min ?? Number.NEGATIVE_INFINITY) && size <= (shape.max ?? Number.POSITIVE_INFINITY)
  switch (shape.type) {
    case 'structure':
      return checkStructure(shapes, shape, value, path)
    case 'map':
      return isRecord(value)
        ? Object.entries(value).flatMap(([key, member]) => [
            ...check(shapes, String(shape.key), key, `${path} key`),
            ...check(shapes, String(shape.value), member, `${path}.${key}`),
          ])
        : wrong('a map')
    case 'list':
      if (!Array.isArray(value) || !inBounds(value.length))
        return wrong(`a list of ${shape.min} to ${shape.max} members`)
      return value.flatMap((member, index) => check(shapes, String(shape.member), member, `${path}[${index}]`))
    case 'string':
      if (typeof value !== 'string' || !inBounds(value.length))
        return wrong(`a string of ${shape.min} to ${shape.max} characters`)
      if (shape.enum && !shape.enum.includes(value)) return wrong(`one of ${shape.enum}`)
      return shape.pattern && !new RegExp(shape.pattern).test(value) ? wrong(`like ${shape.pattern}`) : []
    case 'integer':
      return Number.isInteger(value) && inBounds(value as number) ? [] : wrong('an integer in bounds')
    case 'double':
    // The JSON protocols send times in seconds.
    case 'timestamp':
      return typeof value === 'number' ? [] : wrong('a number')
    case 'boolean':
      return typeof value === 'boolean' ? [] : wrong('a boolean')
    default:
      return [`${path}: the type ${shape.type} is not supported`]
  }
}

function checkStructure(shapes: Shapes, shape: Shape, value: unknown, path: string): string[] {
  if (!isRecord(value)) return [`${path}: ${JSON.stringify(value)} is not an object`]
  const { members = {}, required = [], union } = shape
  const missing = required.filter((name) => value[name] === undefined).map((name) => `${path}.${name} is missing`)
  const isAmbiguous = union && Object.keys(value).length !== 1
  return [
    ...missing,
    ...(isAmbiguous ? [`${path} must have exactly one member`] : []),
    ...Object.entries(value).flatMap(([name, member]) =>
      members[name] ? check(shapes, members[name], member, `${path}.${name}`) : [`${path}.${name} is not in the model`],
    ),
  ]
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
