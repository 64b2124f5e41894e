import { getOrg, type Org, putOrg } from '@passport/contract/orgs'
import { useQueryClient } from '@tanstack/react-query'
import { call } from '../app/api.ts'
import { reportSuccess } from '../app/messages.ts'
import { EditCard } from '../directory/RecordFormFrame.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { Field } from '../ui/Field.tsx'

const toSaved = (org: Org) => ({ values: { name: org.name, slug: org.slug }, version: org.version, record: org })

/** The form of an organisation's name and slug. */
export function OrgForm({ org, onClose }: { org: Org; onClose: () => void }) {
  const queryClient = useQueryClient()
  const params = { orgId: org.id }
  const record = useRecordForm({
    saved: toSaved(org),
    labels: { name: 'Name', slug: 'Slug' },
    save: (values, options, org) => call(putOrg, { params, body: { ...org, ...values } }, options),
    reload: async () => toSaved(await call(getOrg, { params })),
    fieldByCode: { 'slug-taken': 'slug' },
    onSaved: () => {
      void queryClient.invalidateQueries()
      reportSuccess('Saved')
      onClose()
    },
  })
  return (
    <EditCard record={record} recordLabel="this organisation" title="Edit organisation" onClose={onClose}>
      <Field label="Name" required error={record.errorOf('name')} {...record.form.register('name')} />
      <Field
        label="Slug"
        hint="Used in URLs."
        autoCapitalize="none"
        spellCheck={false}
        error={record.errorOf('slug')}
        {...record.form.register('slug')}
      />
    </EditCard>
  )
}
