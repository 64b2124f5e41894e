// One file: each page has the fields of a form, and its library.
export { CreateProductPage } from './CreateProductPage.tsx'
export { CreateSubscriptionPage } from './CreateSubscriptionPage.tsx'
export { ProductForm } from './ProductForm.tsx'
export { SubscriptionForm } from './SubscriptionForm.tsx'
