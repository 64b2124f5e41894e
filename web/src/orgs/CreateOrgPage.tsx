import { createOrg, type Org } from '@passport/contract/orgs'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import { call } from '../app/api.ts'
import { RecordFormFrame } from '../directory/RecordFormFrame.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { Card } from '../ui/Card.tsx'
import { Field } from '../ui/Field.tsx'
import { toast } from '../ui/toast.ts'
import { listOf } from './list-of.ts'

const nothing = { values: { name: '', slug: '', domains: '' } }

/** Makes an organisation. */
export function CreateOrgPage() {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const record = useRecordForm({
    saved: nothing,
    labels: { name: 'Name', slug: 'Slug', domains: 'Domains' },
    save: ({ name, slug, domains }) =>
      call(createOrg, { body: { name, ...(slug.trim() && { slug }), domains: listOf(domains) } }),
    fieldOf: { 'slug-taken': 'slug' },
    onSaved: (answer) => {
      const { id, name } = answer as Org
      void queryClient.invalidateQueries()
      void toast({ type: 'success', content: `${name} is made` })
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
      <RecordFormFrame record={record} what="this organisation" action="Create organisation" isAlwaysReady>
        <Card title="About it">
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
              hint="Its name in addresses. Left empty, it is made from the name."
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              error={record.errorOf('slug')}
              {...record.form.register('slug')}
            />
            <Field
              label="Domains"
              hint="With commas, such as contoso.com. Each is proved afterwards, by a record in its DNS."
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
