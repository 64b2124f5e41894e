import { createOrg, type Org } from '@passport/contract/orgs'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import { call } from '../app/api.ts'
import { reportSuccess } from '../app/messages.ts'
import { RecordFormFrame } from '../directory/RecordFormFrame.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { Card } from '../ui/Card.tsx'
import { Field } from '../ui/Field.tsx'
import { splitList } from './split-list.ts'

const emptyValues = { values: { name: '', slug: '', domains: '' } }

/** Creates an organisation. */
export function CreateOrgPage() {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const record = useRecordForm({
    saved: emptyValues,
    labels: { name: 'Name', slug: 'Slug', domains: 'Domains' },
    save: ({ name, slug, domains }) =>
      call(createOrg, { body: { name, ...(slug.trim() && { slug }), domains: splitList(domains) } }),
    fieldByCode: { 'slug-taken': 'slug' },
    onSaved: (response) => {
      const { id, name } = response as Org
      void queryClient.invalidateQueries()
      reportSuccess(`${name} created`)
      void navigate({ to: '/admin/orgs/$orgId', params: { orgId: id } })
    },
  })
  return (
    <div className="max-w-[760px]">
      <Link to="/admin/orgs" className="mb-3 inline-flex items-center gap-1 text-ink2 hover:text-ink">
        <ChevronLeft size={15} />
        Organisations
      </Link>
      <h1 className="mb-6">Create organisation</h1>
      <RecordFormFrame record={record} recordLabel="this organisation" action="Create organisation" isNew>
        <Card title="Details">
          <div className="grid gap-4 px-5 pb-5">
            <Field
              label="Name"
              required
              autoComplete="off"
              error={record.errorOf('name')}
              {...record.form.register('name')}
            />
            <Field
              label="Slug"
              hint="Used in URLs. Generated from the name if empty."
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              error={record.errorOf('slug')}
              {...record.form.register('slug')}
            />
            <Field
              label="Domains"
              hint="Comma-separated, e.g. contoso.com. You'll verify each one with a DNS record."
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              error={record.errorOf('domains')}
              {...record.form.register('domains')}
            />
          </div>
        </Card>
      </RecordFormFrame>
    </div>
  )
}
