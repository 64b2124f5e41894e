import { createGrant, type Grant, getGrant, putGrant } from '@passport/contract/entitlement-grants'
import type { GrantEffect as Effect, Entitlement } from '@passport/contract/entitlements'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { call } from '../app/api.ts'
import { DraftOffer } from '../app/DraftOffer.tsx'
import { LeaveGuard } from '../app/LeaveGuard.tsx'
import { reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { searchOrgs } from '../directory/find-records.ts'
import { type Saved, useRecordForm } from '../directory/record-form.ts'
import { Button } from '../ui/Button.tsx'
import { CompareDialog } from '../ui/CompareDialog.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Field } from '../ui/Field.tsx'
import { Picker } from '../ui/Picker.tsx'
import { GrantEffect } from './GrantEffect.tsx'
import { type GrantValues, grantFieldByCode, grantLabels, noGrant, toGrantBody, toGrantValues } from './grant-form.ts'

interface GrantDialogProps {
  entitlement: Entitlement
  /** The grant to edit; undefined to add one. */
  grant?: Grant | undefined
  onClose: () => void
}

/** Adds a grant, or edits one, and shows its effect before it is saved. */
export function GrantDialog({ entitlement, grant, onClose }: GrantDialogProps) {
  const params = { entitlementId: entitlement.id }
  const hasQuantity = entitlement.kind === 'quantity'
  const send = (values: GrantValues, preview: { preview?: 'true' }, options = {}, saved = grant) => {
    const body = toGrantBody(values, entitlement, saved)
    if (saved) {
      const changed = { ...saved, ...body, startsAt: body.startsAt ?? saved.startsAt }
      return call(putGrant, { params: { ...params, grantId: saved.id }, query: preview, body: changed }, options)
    }
    const orgId = values.orgId[0]?.id ?? ''
    return call(createGrant, { params, query: preview, body: { orgId, ...body } }, options)
  }
  const record = useRecordForm<GrantValues, Grant | undefined>({
    saved: grant ? toSaved(grant) : { values: noGrant },
    labels: grantLabels,
    fieldByCode: grantFieldByCode,
    save: (values, options, saved) => send(values, {}, options, saved),
    ...(grant && { reload: async () => toSaved(await call(getGrant, { params: { ...params, grantId: grant.id } })) }),
    onSaved: () => {
      void queryClient.invalidateQueries()
      reportSuccess(grant ? 'Saved' : 'Grant added')
      onClose()
    },
  })
  const { register, watch, setValue, clearErrors } = record.form
  const values = useDeferredValue(watch())
  const isComplete = values.orgId.length > 0 && (!hasQuantity || /^\d+$/.test(values.quantity.trim()))
  const effect = useQuery({
    queryKey: ['grant-effect', entitlement.id, grant?.id, { ...values, note: '' }],
    queryFn: async ({ signal }) => (await send(values, { preview: 'true' }, { signal })) as unknown as Effect,
    enabled: isComplete,
    placeholderData: keepPreviousData,
    retry: false,
    // Not stale after the change, which refetches all queries: the server would preview a change that was applied.
    staleTime: 'static',
    gcTime: 0,
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={grant ? `Edit grant of ${grant.org.name}` : `Grant ${entitlement.name}`}
      className="mt-[8dvh] w-[520px] overflow-visible"
    >
      <form
        noValidate
        className="mt-4 grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          record.submit()
        }}
      >
        <DraftOffer draft={record.draft} />
        {!grant && (
          <Picker
            label={grantLabels.orgId}
            placeholder="Name, slug or ID"
            search={searchOrgs}
            picked={watch('orgId')}
            error={record.errorOf('orgId')}
            onPick={(picked) => {
              // Another pick replaces the first.
              setValue('orgId', picked.slice(-1), { shouldDirty: true })
              clearErrors('orgId')
            }}
          />
        )}
        {hasQuantity && (
          <Field
            label={entitlement.unit ? `${grantLabels.quantity}, in ${entitlement.unit}` : grantLabels.quantity}
            inputMode="numeric"
            autoComplete="off"
            placeholder="25"
            error={record.errorOf('quantity')}
            {...register('quantity')}
          />
        )}
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            label={grantLabels.startsAt}
            type="date"
            hint={grant ? undefined : 'Now, if empty.'}
            error={record.errorOf('startsAt')}
            {...register('startsAt')}
          />
          <Field
            label={grantLabels.endsAt}
            type="date"
            hint="No end, if empty."
            error={record.errorOf('endsAt')}
            {...register('endsAt')}
          />
        </div>
        <Field
          label={grantLabels.note}
          autoComplete="off"
          hint="Optional."
          error={record.errorOf('note')}
          {...register('note')}
        />
        <GrantEffect
          effect={isComplete && !effect.isError ? effect.data : undefined}
          unit={entitlement.unit}
          isStale={effect.isPlaceholderData}
        />
        {record.failure && <ErrorCard failure={record.failure} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" isBusy={record.isSaving} disabled={grant && !record.isDirty}>
            {grant ? 'Save' : 'Add grant'}
          </Button>
        </div>
      </form>
      <LeaveGuard hasChanges={record.hasChanges}>Your unsaved changes will be lost.</LeaveGuard>
      <CompareDialog
        isOpen={record.conflict !== undefined}
        recordLabel="this grant"
        differences={record.conflict?.differences ?? []}
        isBusy={record.isSaving}
        onSave={(choices) => record.conflict?.save(choices)}
        onClose={() => record.conflict?.close()}
      />
    </Dialog>
  )
}

const toSaved = (grant: Grant): Saved<GrantValues, Grant | undefined> => ({
  values: toGrantValues(grant),
  version: grant.version,
  record: grant,
})
