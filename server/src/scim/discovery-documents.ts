import { maxPageSize } from './read-list.ts'
import { type Attribute, type ResourceType, resourceTypes, type Schema } from './schema.ts'

/** Returns the configuration of the service (RFC 7643, section 5; pagination by RFC 9865). */
export const createServiceProviderConfig = (publicUrl: string, baseUrl: string) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  documentationUri: `${publicUrl}/docs/provisioning`,
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: maxPageSize },
  changePassword: { supported: false },
  sort: { supported: true },
  etag: { supported: true },
  pagination: {
    cursor: true,
    index: true,
    defaultPaginationMethod: 'index',
    defaultPageSize: 100,
    maxPageSize,
  },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'A SCIM token of the organisation.',
      specUri: 'https://www.rfc-editor.org/rfc/rfc6750',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${baseUrl}/ServiceProviderConfig` },
})

/** Returns a resource type (RFC 7643, section 6). */
export const describeResourceType = (
  { name, endpoint, description, schema, extension }: ResourceType,
  baseUrl: string,
) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
  id: name,
  name,
  endpoint: `/${endpoint}`,
  description,
  schema: schema.id,
  ...(extension && { schemaExtensions: [{ schema: extension.id, required: false }] }),
  meta: { resourceType: 'ResourceType', location: `${baseUrl}/ResourceTypes/${name}` },
})

/** Returns a schema (RFC 7643, section 7). */
export const describeSchema = ({ id, name, description, attributes }: Schema, baseUrl: string) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
  id,
  name,
  description,
  attributes: attributes.map(describeAttribute),
  meta: { resourceType: 'Schema', location: `${baseUrl}/Schemas/${id}` },
})

const describeAttribute = ({ subAttributes, canonicalValues, referenceTypes, ...attribute }: Attribute): object => ({
  name: attribute.name,
  type: attribute.type,
  multiValued: attribute.multiValued ?? false,
  description: attribute.description,
  required: attribute.required ?? false,
  ...(attribute.type !== 'complex' && attribute.type !== 'boolean' && { caseExact: attribute.caseExact ?? false }),
  mutability: attribute.mutability ?? 'readWrite',
  returned: attribute.returned ?? 'default',
  uniqueness: attribute.uniqueness ?? 'none',
  ...(canonicalValues && { canonicalValues }),
  ...(referenceTypes && { referenceTypes }),
  ...(subAttributes && { subAttributes: subAttributes.map(describeAttribute) }),
})

const readOnly = (
  name: string,
  description: string,
  type: Attribute['type'] = 'string',
  more: Partial<Attribute> = {},
): Attribute => ({ name, description, type, mutability: 'readOnly', ...more })
const supported = readOnly('supported', 'Whether it is supported.', 'boolean', { required: true })
const complex = (name: string, description: string, ...subAttributes: Attribute[]): Attribute =>
  readOnly(name, description, 'complex', { subAttributes, required: true })

/** The schemas of the documents of this file (RFC 7643, section 8.7.2). */
const documentSchemas: Schema[] = [
  {
    id: 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig',
    name: 'ServiceProviderConfig',
    description: 'What the service supports.',
    attributes: [
      readOnly('documentationUri', 'The guide.', 'reference', { referenceTypes: ['external'] }),
      complex('patch', 'PATCH.', supported),
      complex(
        'bulk',
        'Bulk operations.',
        supported,
        readOnly('maxOperations', 'The most operations.', 'integer', { required: true }),
        readOnly('maxPayloadSize', 'The most bytes.', 'integer', { required: true }),
      ),
      complex(
        'filter',
        'Filters.',
        supported,
        readOnly('maxResults', 'The most resources in a response.', 'integer', { required: true }),
      ),
      complex('changePassword', 'Changes of passwords.', supported),
      complex('sort', 'Sorting.', supported),
      complex('etag', 'ETags.', supported),
      readOnly('authenticationSchemes', 'How clients authenticate.', 'complex', {
        multiValued: true,
        required: true,
        subAttributes: [
          readOnly('type', 'The kind.', 'string', { required: true }),
          readOnly('name', 'The name.', 'string', { required: true }),
          readOnly('description', 'The description.', 'string', { required: true }),
          readOnly('specUri', 'The specification.', 'reference', { referenceTypes: ['external'] }),
          readOnly('documentationUri', 'The guide.', 'reference', { referenceTypes: ['external'] }),
        ],
      }),
    ],
  },
  {
    id: 'urn:ietf:params:scim:schemas:core:2.0:ResourceType',
    name: 'ResourceType',
    description: 'A type of resources.',
    attributes: [
      readOnly('id', 'The id.'),
      readOnly('name', 'The name.', 'string', { required: true }),
      readOnly('description', 'The description.'),
      readOnly('endpoint', 'The path.', 'reference', { referenceTypes: ['uri'], required: true }),
      readOnly('schema', 'The schema.', 'reference', { referenceTypes: ['uri'], required: true }),
      readOnly('schemaExtensions', 'The extensions.', 'complex', {
        multiValued: true,
        subAttributes: [
          readOnly('schema', 'The schema.', 'reference', { referenceTypes: ['uri'], required: true }),
          readOnly('required', 'Whether it is required.', 'boolean', { required: true }),
        ],
      }),
    ],
  },
  {
    id: 'urn:ietf:params:scim:schemas:core:2.0:Schema',
    name: 'Schema',
    description: 'The attributes of a type of resources.',
    attributes: [
      readOnly('id', 'The URN.', 'string', { required: true }),
      readOnly('name', 'The name.', 'string', { required: true }),
      readOnly('description', 'The description.'),
      readOnly('attributes', 'The attributes.', 'complex', {
        multiValued: true,
        required: true,
        subAttributes: [
          readOnly('name', 'The name.', 'string', { required: true, caseExact: true }),
          readOnly('type', 'The type.', 'string', { required: true }),
          readOnly('multiValued', 'Whether it is a list.', 'boolean', { required: true }),
          readOnly('description', 'The description.'),
          readOnly('required', 'Whether it is required.', 'boolean'),
          readOnly('canonicalValues', 'Usual values.', 'string', { multiValued: true }),
          readOnly('caseExact', 'Whether letter case counts.', 'boolean'),
          readOnly('mutability', 'Who may write it.', 'string', { required: true }),
          readOnly('returned', 'When it is returned.', 'string', { required: true }),
          readOnly('uniqueness', 'Whether values are unique.'),
          readOnly('referenceTypes', 'What it refers to.', 'string', { multiValued: true }),
        ],
      }),
    ],
  },
]

/** All schemas, each once. */
export const allSchemas: Schema[] = [
  ...resourceTypes.flatMap(({ schema, extension }) => [schema, ...(extension ? [extension] : [])]),
  ...documentSchemas,
]
