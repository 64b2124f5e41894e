import { type PricingModel, pricingModels } from '@passport/contract/aws-products'
import type { RecordForm } from '../directory/record-form.ts'
import { ChoiceCard } from '../ui/ChoiceCard.tsx'
import { Field } from '../ui/Field.tsx'
import { Select } from '../ui/Select.tsx'
import { fitDimensions, type ProductValues, productLabels } from './product-form.ts'
import { integrationNames, pricingModelNames } from './words.ts'

const modelHints: Record<PricingModel, string> = {
  contract: 'Buyers pay for a quantity and a term.',
  'contract-with-consumption': 'A contract, and usage above it.',
  subscription: 'Buyers pay for what they use.',
  free: 'Buyers pay nothing.',
}
const integrations = (['license-arn', 'legacy'] as const).map((value) => ({ value, label: integrationNames[value] }))
const codeProps = {
  className: 'font-mono text-[13px]',
  autoComplete: 'off',
  autoCapitalize: 'none',
  spellCheck: false,
}

/** The fields of a product except its dimensions. */
export function ProductFields({ record }: { record: RecordForm<ProductValues> }) {
  const { register, getValues, setValue, clearErrors } = record.form
  const fitKinds = ({ target }: { target: { value: PricingModel } }) => {
    clearErrors('dimensions')
    setValue('dimensions', fitDimensions(getValues('dimensions'), target.value), { shouldDirty: true })
  }
  return (
    <>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <Field
          label={productLabels.name}
          placeholder="Stage Pro"
          autoComplete="off"
          error={record.errorOf('name')}
          {...register('name')}
        />
        <Field
          label={productLabels.supportEmail}
          type="email"
          autoComplete="off"
          placeholder="support@example.com"
          hint="Shown to buyers."
          error={record.errorOf('supportEmail')}
          {...register('supportEmail')}
        />
        <Field
          label={productLabels.productCode}
          hint="In the AWS Marketplace Management Portal, on the page of your product."
          error={record.errorOf('productCode')}
          {...codeProps}
          {...register('productCode')}
        />
        <Field
          label={productLabels.productId}
          placeholder="prod-"
          hint="Optional. Begins with prod-."
          error={record.errorOf('productId')}
          {...codeProps}
          {...register('productId')}
        />
      </div>
      <fieldset>
        <legend className="font-[560]">{productLabels.pricingModel}</legend>
        <div className="mt-1.5 grid gap-2 sm:grid-cols-2">
          {pricingModels.map((model) => (
            <ChoiceCard
              key={model}
              value={model}
              label={pricingModelNames[model]}
              hint={modelHints[model]}
              {...register('pricingModel', { onChange: fitKinds })}
            />
          ))}
        </div>
      </fieldset>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <Select
          label={productLabels.integration}
          options={integrations}
          hint="Listings since June 2026 use the licence ARN."
          error={record.errorOf('integration')}
          {...register('integration')}
        />
        <Field label={productLabels.region} error={record.errorOf('region')} {...codeProps} {...register('region')} />
      </div>
    </>
  )
}
