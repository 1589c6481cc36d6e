# Where the state is kept.
terraform {
  required_version = ">= 1.5"
}

provider "aws" {
  region = var.region
}

variable "region" {
  type    = string
  default = "eu-central-1"
}

locals {
  bucket_name = "orders-${var.region}"
  tags = {
    team = "shop"
  }
}

// Keeps the orders.
resource "aws_s3_bucket" "orders" {
  bucket = local.bucket_name

  lifecycle_rule {
    enabled = true
  }
}

data "aws_iam_policy_document" "read" {
  statement {
    actions = ["s3:GetObject"]
  }
}

module "network" {
  source = "./network"
}

/* resource "aws_s3_bucket" "none" {} */
resource "aws_iam_policy" "read" {
  policy = <<-JSON
    resource "aws_s3_bucket" "text" {
  JSON
}

output "bucket" {
  value = aws_s3_bucket.orders.arn
}
