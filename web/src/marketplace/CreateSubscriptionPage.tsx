import { listAwsProducts } from '@passport/contract/aws-products'
import { createAwsSubscription } from '@passport/contract/aws-subscriptions'
import { useQuery } from '@tanstack/react-query'
import { call, query } from '../app/api.ts'
import { CreatePage } from '../directory/CreatePage.tsx'
import { searchOrgs } from '../directory/find-records.ts'
import { WhatFollows } from '../directory/WhatFollows.tsx'
import { Card } from '../ui/Card.tsx'
import { Field } from '../ui/Field.tsx'
import { type Pickable, Picker } from '../ui/Picker.tsx'
import { Select } from '../ui/Select.tsx'
import { TextArea } from '../ui/TextArea.tsx'

interface Values {
  productId: string
  orgId: Pickable[]
  customerAwsAccountId: string
  licenseArn: string
  agreementId: string
  note: string
}

const labels: { [Name in keyof Values]: string } = {
  productId: 'Product',
  orgId: 'Organisation',
  customerAwsAccountId: 'AWS account',
  licenseArn: 'Licence',
  agreementId: 'Agreement',
  note: 'Note',
}
const initialValues: Values = {
  productId: '',
  orgId: [],
  customerAwsAccountId: '',
  licenseArn: '',
  agreementId: '',
  note: '',
}
const codeProps = {
  className: 'font-mono text-[13px]',
  autoComplete: 'off',
  autoCapitalize: 'none',
  spellCheck: false,
}

const create = ({ productId, orgId, customerAwsAccountId, licenseArn, agreementId, note }: Values) =>
  call(createAwsSubscription, {
    body: {
      productId,
      orgId: orgId[0]?.id ?? '',
      // AWS shows account ids in groups.
      customerAwsAccountId: customerAwsAccountId.replace(/[\s-]/g, ''),
      licenseArn: licenseArn.trim(),
      agreementId: agreementId.trim() || null,
      note: note.trim(),
    },
  })

/** Links a purchase that a buyer could not complete to an organisation. It waits until AWS confirms it. */
export function CreateSubscriptionPage() {
  const products = useQuery(query(listAwsProducts, { query: { limit: 200 } }))
  const options = products.data?.items.map(({ id, name }) => ({ value: id, label: name })) ?? []
  return (
    <CreatePage
      kind="subscription"
      list={{ to: '/admin/awssubscriptions', label: 'Subscriptions' }}
      initialValues={initialValues}
      labels={labels}
      fieldByCode={{ 'license-exists': 'licenseArn', 'org-not-found': 'orgId', 'product-not-found': 'productId' }}
      create={create}
      pageOf={({ id }) => ({ to: '/admin/awssubscriptions/$subscriptionId', params: { subscriptionId: id } })}
      rail={
        <WhatFollows
          steps={[
            ['Pending', 'The organisation gets nothing yet: account and licence are only claimed.'],
            ['AWS confirms', 'Passport compares the licence with AWS, now and with each event.'],
            ['Active', 'The organisation gets the entitlements of the purchase.'],
          ]}
        />
      }
    >
      {({ form: { register, watch, setValue, clearErrors }, errorOf }) => (
        <Card title="Purchase" description="For a buyer who did not come back from AWS.">
          <div className="grid gap-4 px-4 pb-[18px] sm:px-[18px]">
            <div className="grid items-start gap-4 sm:grid-cols-2">
              <Select
                label={labels.productId}
                options={[{ value: '', label: 'Choose a product' }, ...options]}
                error={errorOf('productId')}
                {...register('productId')}
              />
              <Picker
                label={labels.orgId}
                placeholder="Name, slug or ID"
                search={searchOrgs}
                picked={watch('orgId')}
                error={errorOf('orgId')}
                onPick={(picked) => {
                  // Another pick replaces the first.
                  setValue('orgId', picked.slice(-1), { shouldDirty: true })
                  clearErrors('orgId')
                }}
              />
            </div>
            <div className="grid items-start gap-4 sm:grid-cols-2">
              <Field
                label={labels.customerAwsAccountId}
                inputMode="numeric"
                placeholder="123456789012"
                hint="The 12 digits of the buyer."
                error={errorOf('customerAwsAccountId')}
                {...codeProps}
                {...register('customerAwsAccountId')}
              />
              <Field
                label={labels.agreementId}
                placeholder="agmt-"
                hint="Optional"
                error={errorOf('agreementId')}
                {...codeProps}
                {...register('agreementId')}
              />
            </div>
            <Field
              label={labels.licenseArn}
              placeholder="arn:aws:license-manager::123456789012:license:l-"
              hint="The ARN of the licence. Passport compares the part that begins with l-."
              error={errorOf('licenseArn')}
              {...codeProps}
              {...register('licenseArn')}
            />
            <TextArea
              label={labels.note}
              rows={2}
              hint="Optional. Only administrators see it."
              error={errorOf('note')}
              {...register('note')}
            />
          </div>
        </Card>
      )}
    </CreatePage>
  )
}
