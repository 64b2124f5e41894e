import { type AwsSubscription, getAwsSubscription, putAwsSubscription } from '@passport/contract/aws-subscriptions'
import { call } from '../app/api.ts'
import { reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { EditCard } from '../directory/RecordFormFrame.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { Field } from '../ui/Field.tsx'
import { TextArea } from '../ui/TextArea.tsx'

const labels = { agreementId: 'Agreement', contactEmail: 'Contact email', note: 'Note' }

const toSaved = (subscription: AwsSubscription) => ({
  values: {
    agreementId: subscription.agreementId ?? '',
    contactEmail: subscription.contactEmail ?? '',
    note: subscription.note,
  },
  version: subscription.version,
  record: subscription,
})

/** The form of what administrators know about a subscription; everything else comes from AWS. */
export function SubscriptionForm({ subscription, onClose }: { subscription: AwsSubscription; onClose: () => void }) {
  const params = { subscriptionId: subscription.id }
  const record = useRecordForm({
    saved: toSaved(subscription),
    labels,
    save: ({ agreementId, contactEmail, note }, options, subscription) => {
      const fields = { agreementId: agreementId.trim() || null, contactEmail: contactEmail.trim() || null, note }
      return call(putAwsSubscription, { params, body: { ...subscription, ...fields } }, options)
    },
    reload: async () => toSaved(await call(getAwsSubscription, { params })),
    onSaved: () => {
      void queryClient.invalidateQueries()
      reportSuccess('Saved')
      onClose()
    },
  })
  const { register } = record.form
  return (
    <EditCard record={record} recordLabel="this subscription" title="Edit subscription" onClose={onClose}>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <Field
          label={labels.contactEmail}
          type="email"
          autoComplete="off"
          error={record.errorOf('contactEmail')}
          {...register('contactEmail')}
        />
        <Field
          label={labels.agreementId}
          placeholder="agmt-"
          className="font-mono text-[13px]"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          error={record.errorOf('agreementId')}
          {...register('agreementId')}
        />
      </div>
      <TextArea
        label={labels.note}
        rows={2}
        hint="Only administrators see it."
        error={record.errorOf('note')}
        {...register('note')}
      />
    </EditCard>
  )
}
