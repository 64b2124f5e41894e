/** An attribute of a schema (RFC 7643, section 7). */
export interface Attribute {
  name: string
  description: string
  type: 'string' | 'boolean' | 'integer' | 'reference' | 'dateTime' | 'complex'
  multiValued?: true
  required?: true
  caseExact?: true
  mutability?: 'readOnly' | 'immutable'
  returned?: 'always'
  uniqueness?: 'server'
  /** The value identifies the resource: an index holds it, and a blank one is none. */
  isId?: true
  canonicalValues?: readonly string[]
  referenceTypes?: readonly string[]
  subAttributes?: readonly Attribute[]
}

export interface Schema {
  id: string
  name: string
  description: string
  attributes: readonly Attribute[]
}

/** A type of resources with its schemas. */
export interface ResourceType {
  name: 'User' | 'Group'
  endpoint: 'Users' | 'Groups'
  description: string
  schema: Schema
  extension?: Schema
}

const text = (name: string, description: string, more: Partial<Attribute> = {}): Attribute => ({
  name,
  description,
  type: 'string',
  ...more,
})
const value = (what: string) => text('value', what)
const type = (...canonicalValues: string[]) => text('type', 'The kind of the value.', { canonicalValues })
const primary: Attribute = { name: 'primary', description: 'Whether it is the preferred one.', type: 'boolean' }
const display = text('display', 'A name to show.')

/** The common attribute of all resources that clients set (RFC 7643, section 3.1). */
const externalId = text('externalId', 'The id of the resource at the client.', { caseExact: true, isId: true })

const userSchema: Schema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:User',
  name: 'User',
  description: 'A user of the organisation.',
  attributes: [
    text('userName', 'The name with which the user signs in at the identity provider.', {
      required: true,
      uniqueness: 'server',
      isId: true,
    }),
    {
      name: 'name',
      description: 'The parts of the name.',
      type: 'complex',
      subAttributes: [
        text('formatted', 'The whole name.'),
        text('familyName', 'The family name.'),
        text('givenName', 'The given name.'),
        text('middleName', 'The middle name.'),
        text('honorificPrefix', 'Such as Dr.'),
        text('honorificSuffix', 'Such as III.'),
      ],
    },
    text('displayName', 'The name to show.'),
    text('nickName', 'The casual name.'),
    { name: 'profileUrl', description: 'A page about the user.', type: 'reference', referenceTypes: ['external'] },
    text('title', 'The title in the organisation.'),
    text('userType', 'The relation to the organisation, such as Employee.'),
    text('preferredLanguage', 'The preferred language.'),
    text('locale', 'The locale of numbers and dates.'),
    text('timezone', 'The time zone.'),
    { name: 'active', description: 'Whether the user may sign in.', type: 'boolean' },
    {
      name: 'emails',
      description: 'Email addresses. The account has the primary one, else the one for work.',
      type: 'complex',
      multiValued: true,
      subAttributes: [value('The address.'), display, type('work', 'home', 'other'), primary],
    },
    {
      name: 'phoneNumbers',
      description: 'Telephone numbers.',
      type: 'complex',
      multiValued: true,
      subAttributes: [value('The number.'), display, type('work', 'home', 'mobile', 'fax', 'pager', 'other'), primary],
    },
    {
      name: 'addresses',
      description: 'Postal addresses.',
      type: 'complex',
      multiValued: true,
      subAttributes: [
        text('formatted', 'The whole address.'),
        text('streetAddress', 'Street and number.'),
        text('locality', 'The city.'),
        text('region', 'The state or region.'),
        text('postalCode', 'The postal code.'),
        text('country', 'The country.'),
        type('work', 'home', 'other'),
        primary,
      ],
    },
    {
      name: 'groups',
      description: 'The provisioned groups of which the user is a member.',
      type: 'complex',
      multiValued: true,
      mutability: 'readOnly',
      subAttributes: [
        text('value', 'The id of the group.', { mutability: 'readOnly' }),
        {
          name: '$ref',
          description: 'The URL of the group.',
          type: 'reference',
          referenceTypes: ['Group'],
          mutability: 'readOnly',
        },
        text('display', 'The name of the group.', { mutability: 'readOnly' }),
      ],
    },
  ],
}

const enterpriseSchema: Schema = {
  id: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  name: 'EnterpriseUser',
  description: 'Where the user works.',
  attributes: [
    text('employeeNumber', 'The number of the employee.'),
    text('costCenter', 'The cost centre.'),
    text('organization', 'The organisation.'),
    text('division', 'The division.'),
    text('department', 'The department.'),
    {
      name: 'manager',
      description: 'The manager.',
      type: 'complex',
      subAttributes: [
        value('The id of the manager.'),
        { name: '$ref', description: 'The URL of the manager.', type: 'reference', referenceTypes: ['User'] },
        text('displayName', 'The name of the manager.', { mutability: 'readOnly' }),
      ],
    },
  ],
}

const groupSchema: Schema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  name: 'Group',
  description: 'A group of the organisation.',
  attributes: [
    text('displayName', 'The name of the group.', { required: true }),
    {
      name: 'members',
      description: 'The members that the client added.',
      type: 'complex',
      multiValued: true,
      subAttributes: [
        text('value', 'The id of the user.', { mutability: 'immutable' }),
        {
          name: '$ref',
          description: 'The URL of the user.',
          type: 'reference',
          referenceTypes: ['User'],
          mutability: 'immutable',
        },
        text('type', 'Members are users.', { mutability: 'immutable', canonicalValues: ['User'] }),
      ],
    },
  ],
}

export const userType: ResourceType = {
  name: 'User',
  endpoint: 'Users',
  description: 'Users of the organisation',
  schema: userSchema,
  extension: enterpriseSchema,
}
export const groupType: ResourceType = {
  name: 'Group',
  endpoint: 'Groups',
  description: 'Groups of the organisation',
  schema: groupSchema,
}
export const resourceTypes = [userType, groupType]

/** An attribute with the schema that defines it. */
export interface FoundAttribute {
  attribute: Attribute
  schema: Schema
}

/**
 * Finds an attribute of a resource type by its name, in any letter case; `urn` is the schema before the name, if there is
 * one. Returns undefined for an unknown one, and for the common attributes that clients do not set.
 */
export function findAttribute(type: ResourceType, name: string, urn?: string): FoundAttribute | undefined {
  const { schema, extension } = type
  const wanted = urn?.toLowerCase()
  if (isNamed(externalId, name) && (wanted === undefined || wanted === schema.id.toLowerCase()))
    return { attribute: externalId, schema }
  for (const candidate of [schema, ...(extension ? [extension] : [])]) {
    // Attributes of an extension are always qualified (RFC 7644, section 3.10).
    if (wanted === undefined ? candidate !== schema : wanted !== candidate.id.toLowerCase()) continue
    const attribute = candidate.attributes.find((candidate) => isNamed(candidate, name))
    if (attribute) return { attribute, schema: candidate }
  }
  return undefined
}

/** Finds a sub-attribute by its name, in any letter case. */
export const findSubAttribute = ({ subAttributes = [] }: Attribute, name: string): Attribute | undefined =>
  subAttributes.find((candidate) => isNamed(candidate, name))

/** Reports whether a text is the id of the extension of a resource type, in any letter case. */
export const isExtension = ({ extension }: ResourceType, text: string): boolean =>
  extension !== undefined && extension.id.toLowerCase() === text.toLowerCase()

const isNamed = (attribute: Attribute, name: string) => attribute.name.toLowerCase() === name.toLowerCase()
