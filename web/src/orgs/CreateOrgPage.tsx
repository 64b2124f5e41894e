import { createOrg } from '@passport/contract/orgs'
import { call } from '../app/api.ts'
import { CreatePage } from '../directory/CreatePage.tsx'
import { WhatFollows } from '../directory/WhatFollows.tsx'
import { Card } from '../ui/Card.tsx'
import { Field } from '../ui/Field.tsx'

/** Creates an organisation. */
export function CreateOrgPage() {
  return (
    <CreatePage
      kind="organisation"
      list={{ to: '/admin/orgs', label: 'Organisations' }}
      initialValues={{ name: '', slug: '', domains: '' }}
      labels={{ name: 'Name', slug: 'Slug', domains: 'Domains' }}
      fieldByCode={{ 'slug-taken': 'slug' }}
      create={({ name, slug, domains }) =>
        call(createOrg, { body: { name, ...(slug.trim() && { slug }), domains: splitList(domains) } })
      }
      pageOf={({ id }) => ({ to: '/admin/orgs/$orgId', params: { orgId: id } })}
      rail={<WhatFollows steps={whatFollows} />}
    >
      {(record) => (
        <Card title="Details">
          <div className="grid gap-4 px-4 pb-[18px] sm:px-[18px]">
            <Field
              label="Name"
              required
              autoComplete="off"
              error={record.errorOf('name')}
              {...record.form.register('name')}
            />
            <Field
              label="Slug"
              placeholder="Optional"
              hint="Used in URLs. Generated from the name if empty."
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              error={record.errorOf('slug')}
              {...record.form.register('slug')}
            />
            <Field
              label="Domains"
              placeholder="Optional"
              hint="Comma-separated, e.g. contoso.com. You'll verify each one with a DNS record."
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              error={record.errorOf('domains')}
              {...record.form.register('domains')}
            />
          </div>
        </Card>
      )}
    </CreatePage>
  )
}

const whatFollows: [string, string][] = [
  ['Members join', 'You add them, or share a join link.'],
  ['Domains are verified', 'Each with a TXT record. Users with such an email are then routed here.'],
  ['Owners take over', 'They manage the members and join links themselves.'],
]

/** Splits a text at commas and spaces: `a.com, b.com`. */
const splitList = (text: string): string[] => text.split(/[\s,;]+/).filter(Boolean)
