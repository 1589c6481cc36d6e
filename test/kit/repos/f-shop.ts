/** A shop in many languages: a page, a service, a schema, infrastructure, a workflow and a notebook. */
export const SHOP = {
  ".github/workflows/deploy.yml": `on: push
jobs:
  deploy:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: npm run build
        working-directory: web
      - run: ./scripts/deploy.sh
`,
  "db/schema.sql": `CREATE TABLE orders (
  id serial PRIMARY KEY,
  product text NOT NULL
);
`,
  "infra/main.tf": `resource "aws_db_instance" "shop" {
  engine = "postgres"
}

resource "aws_lambda_function" "orders" {
  function_name = "orders"
  environment {
    variables = {
      DATABASE_URL = aws_db_instance.shop.endpoint
    }
  }
}
`,
  "notebooks/orders.ipynb": `{
 "cells": [
  {
   "cell_type": "markdown",
   "source": [
    "Orders by product"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": null,
   "outputs": [],
   "source": [
    "def by_product(db):\\n",
    "    return db.execute(\\"SELECT product, count(*) FROM orders GROUP BY product\\")\\n"
   ]
  }
 ],
 "metadata": {
  "kernelspec": {
   "language": "python"
  },
  "language_info": {
   "name": "python"
  }
 },
 "nbformat": 4,
 "nbformat_minor": 5
}
`,
  "scripts/deploy.sh": `#!/bin/sh
terraform -chdir=infra apply
psql -f db/schema.sql
`,
  "service/app.py": `from fastapi import APIRouter, FastAPI

from service.orders import insert_order

app = FastAPI()
router = APIRouter()


@router.post("/orders")
def create_order(product: str):
    return insert_order(product)


app.include_router(router, prefix="/api")
`,
  "service/orders.py": `import os

import psycopg


def insert_order(product):
    with psycopg.connect(os.environ["DATABASE_URL"]) as db:
        db.execute("INSERT INTO orders (product) VALUES (%s)", [product])
`,
  "web/package.json": `{
  "name": "shop-web",
  "scripts": {
    "build": "vite build"
  }
}
`,
  "web/src/OrderButton.vue": `<script setup lang="ts">
import { placeOrder } from "./api";

const props = defineProps<{ product: string }>();
</script>

<template>
  <button @click="placeOrder(props.product)">Buy</button>
</template>
`,
  "web/src/ShopPage.vue": `<script setup lang="ts">
import OrderButton from "./OrderButton.vue";
</script>

<template>
  <order-button product="tea" />
</template>
`,
  "web/src/api.ts": `export async function placeOrder(product: string) {
  const answer = await fetch("/api/orders", { method: "POST", body: JSON.stringify({ product }) });
  return answer.json();
}
`,
};
