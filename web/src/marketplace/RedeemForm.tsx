import { type AwsBuyerValidation, type Redemption, redeemAwsRegistration } from '@passport/contract/marketplace'
import { call } from '../app/api.ts'
import { DraftOffer } from '../app/DraftOffer.tsx'
import { LeaveGuard } from '../app/LeaveGuard.tsx'
import { queryClient } from '../app/query-client.ts'
import { useRecordForm } from '../directory/record-form.ts'
import { Button } from '../ui/Button.tsx'
import { Check } from '../ui/Check.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Field } from '../ui/Field.tsx'

/** A redeemed subscription, and the name of its organisation. */
export interface Redeemed {
  redemption: Redemption
  orgName: string
}

interface RedeemFormProps {
  validation: AwsBuyerValidation
  onRedeemed: (redeemed: Redeemed) => void
}

/** The value of the choice of a new organisation. */
const newOrg = 'new'
const labels = { org: 'Organisation', orgName: 'Name', contactEmail: 'Contact email', contactName: 'Contact name' }

/** Asks which organisation gets the subscription, and whom to email about it. */
export function RedeemForm({ validation, onRedeemed }: RedeemFormProps) {
  const { registrationId, user, organisations } = validation
  const eligible = organisations.filter((org) => org.eligible)
  const others = organisations.filter((org) => !org.eligible)
  const record = useRecordForm({
    // An existing organisation gets nothing without being asked for.
    saved: {
      values: {
        org: eligible.length === 0 ? newOrg : '',
        orgName: '',
        contactEmail: user.email ?? '',
        contactName: user.displayname ?? '',
      },
    },
    labels,
    fieldByCode: { 'org-choice': 'org', 'not-org-admin': 'org', 'name-invalid': 'orgName', 'slug-taken': 'orgName' },
    save: ({ org, orgName, contactEmail, contactName }) =>
      call(redeemAwsRegistration, {
        body: {
          registrationId,
          ...(org === newOrg ? { newOrg: { name: orgName } } : org && { orgId: org }),
          contactEmail,
          ...(contactName.trim() && { contactName }),
        },
      }),
    onSaved: (response) => {
      const redemption = response as Redemption
      const { org, orgName } = record.form.getValues()
      void queryClient.invalidateQueries()
      onRedeemed({ redemption, orgName: eligible.find(({ id }) => id === org)?.name ?? orgName.trim() })
    },
  })
  const { form, errorOf, failure, isSaving } = record
  const orgError = errorOf('org')
  return (
    <form
      noValidate
      className="mt-5 grid gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        record.submit()
      }}
    >
      <DraftOffer draft={record.draft} />
      {eligible.length > 0 && (
        <fieldset aria-describedby={orgError ? 'org-error' : undefined}>
          <legend className="mb-1 font-[560]">Which organisation gets the subscription?</legend>
          {[...eligible, { id: newOrg, name: 'A new organisation' }].map(({ id, name }) => (
            <Check
              key={id}
              type="radio"
              value={id}
              className="flex w-full py-1"
              {...form.register('org', { required: 'Choose an organisation.' })}
            >
              <span className="min-w-0 break-words">{name}</span>
            </Check>
          ))}
          {orgError ? (
            <p id="org-error" className="mt-1 text-[13px] text-bad">
              {orgError}
            </p>
          ) : (
            others.length > 0 && (
              <p className="mt-1 text-[13px] text-ink3">Only organisations that you manage can be chosen.</p>
            )
          )}
        </fieldset>
      )}
      {form.watch('org') === newOrg && (
        <Field
          label="Name of your organisation"
          required
          autoComplete="organization"
          error={errorOf('orgName')}
          {...form.register('orgName')}
        />
      )}
      <Field
        label="Contact email"
        type="email"
        required
        autoComplete="email"
        hint="For news about this subscription."
        error={errorOf('contactEmail')}
        {...form.register('contactEmail')}
      />
      <Field
        label="Contact name"
        autoComplete="name"
        error={errorOf('contactName')}
        {...form.register('contactName')}
      />
      {failure && <ErrorCard failure={failure} />}
      <Button type="submit" variant="primary" className="h-11 w-full" isBusy={isSaving}>
        Set up subscription
      </Button>
      <LeaveGuard hasChanges={record.hasChanges}>Your purchase at AWS is kept, but not what you typed here.</LeaveGuard>
    </form>
  )
}
