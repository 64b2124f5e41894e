// One file: each page has the fields of a form, and its library.
export { CreateProductPage } from './CreateProductPage.tsx'
export { ProductForm } from './ProductForm.tsx'
