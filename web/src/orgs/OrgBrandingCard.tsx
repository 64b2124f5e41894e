import { toPicturePath } from '@passport/contract/brand-values'
import { getOrgBranding, type OrgBranding, putOrgBranding } from '@passport/contract/branding'
import type { Org } from '@passport/contract/orgs'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call, query, toFailure } from '../app/api.ts'
import { brandName } from '../app/brand.ts'
import { reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { PictureField } from '../directory/PictureField.tsx'
import { EditCard } from '../directory/RecordFormFrame.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Field } from '../ui/Field.tsx'

/** The name and the logo that users of an organisation see when they sign in. */
export function OrgBrandingCard({ org }: { org: Org }) {
  const parts = { params: { orgId: org.id } }
  const branding = useQuery(query(getOrgBranding, parts))
  const [isEditing, setEditing] = useState(false)
  if (branding.error)
    return (
      <ErrorCard failure={toFailure(branding.error, 'load the branding')} onRetry={() => void branding.refetch()} />
    )
  if (!branding.data) return <div aria-busy="true" className="skeleton h-24" />
  const { name, logo } = branding.data
  if (isEditing) return <OrgBrandingForm org={org} branding={branding.data} onClose={() => setEditing(false)} />
  return (
    <Card
      title="Branding"
      description="Shown to its users on sign-in, consent and emails."
      action={
        <Button onClick={() => setEditing(true)} aria-label="Edit branding">
          Edit
        </Button>
      }
    >
      <p className="flex min-h-9 items-center gap-3 px-4 pb-4 sm:px-[18px]">
        {logo && <img src={toPicturePath(logo)} alt="Logo" className="max-h-9 max-w-36 object-contain" />}
        {name ? (
          <b className="font-[560]">{name}</b>
        ) : (
          <span className="text-ink2">{logo ? brandName : `Same as ${brandName}`}</span>
        )}
      </p>
    </Card>
  )
}

const labels = { name: 'Name', logo: 'Logo' }
const toSaved = (branding: OrgBranding) => ({
  values: { name: branding.name ?? '', logo: branding.logo ?? '' },
  version: branding.revision,
  record: branding,
})

function OrgBrandingForm({ org, branding, onClose }: { org: Org; branding: OrgBranding; onClose: () => void }) {
  const parts = { params: { orgId: org.id } }
  const record = useRecordForm({
    saved: toSaved(branding),
    labels,
    save: async ({ name, logo }, options, branding) => {
      const body = { ...branding, name: name.trim() || null, logo: logo || null }
      const saved = await call(putOrgBranding, { ...parts, body }, options)
      queryClient.setQueryData([getOrgBranding.path, parts], saved)
      return { version: saved.revision, record: saved }
    },
    reload: async () => toSaved(await call(getOrgBranding, parts)),
    onSaved: () => {
      reportSuccess('Saved')
      onClose()
    },
  })
  const { form, errorOf } = record
  const logo = form.watch('logo')
  return (
    <EditCard record={record} recordLabel="this branding" title="Branding" onClose={onClose}>
      <Field
        label={labels.name}
        placeholder={brandName}
        autoComplete="off"
        hint={`Without one, it is ${brandName}.`}
        error={errorOf('name')}
        {...form.register('name')}
      />
      <PictureField
        label={labels.logo}
        hint="Wide or square, on light and dark backgrounds."
        value={logo}
        error={errorOf('logo')}
        onChange={(hash) => form.setValue('logo', hash, { shouldDirty: true })}
      />
    </EditCard>
  )
}
