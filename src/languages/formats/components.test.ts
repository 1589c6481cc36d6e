import { checkUses } from "../../../test/kit/references.ts";

const price = "export function formatPrice(x: number) {\n  return x;\n}\n";
const card = (call: string) => `<script setup lang="ts">
import { formatPrice } from "./price";
</script>
<template>
  <!-- formatPrice is hidden -->
  <p :title="${call}">formatPrice</p>
</template>
<style>.formatPrice { color: red }</style>
`;

checkUses(
  "an expression of a template uses what the script imports",
  { "src/price.ts": price, "src/Card.vue": card("formatPrice(1)") },
  ["src/price.ts", "formatPrice"],
  "src/Card.vue:2:9 imports import",
  "src/Card.vue:6:13 calls import",
);
